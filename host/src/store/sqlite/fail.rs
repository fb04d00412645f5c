//! What can go wrong inside, and how it is told outside.

use gligabao_core::storage::StorageError;
use rusqlite::ErrorCode;

/// A refusal by a rule of the interface, or a failure of the database.
#[derive(Debug)]
pub(super) enum Fail {
    /// To be told as it is.
    Storage(StorageError),
    /// To be told for the operator, without any value of a user.
    Sql(rusqlite::Error),
}

pub(super) type Outcome<T> = Result<T, Fail>;

impl Fail {
    /// Whether a statement was ended because its time was up.
    pub(super) fn is_out_of_time(&self) -> bool {
        matches!(self, Self::Sql(error) if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted))
    }
}

impl From<StorageError> for Fail {
    fn from(error: StorageError) -> Self {
        Self::Storage(error)
    }
}

impl From<rusqlite::Error> for Fail {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

impl From<Fail> for StorageError {
    fn from(fail: Fail) -> Self {
        let error = match fail {
            Fail::Storage(error) => return error,
            Fail::Sql(error) => error,
        };
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Unavailable(
                "the database is locked by another process; try again when that is done with it".to_owned(),
            ),
            Some(ErrorCode::DiskFull) => {
                Self::Unavailable("the disk that holds the database is full; make room and try again".to_owned())
            }
            Some(ErrorCode::OperationInterrupted) => {
                Self::TooLarge("this read looks at too much; name an entity or a relation".to_owned())
            }
            Some(ErrorCode::TooBig) => Self::TooLarge("a value is larger than the database can hold".to_owned()),
            _ => Self::Unavailable(format!("the database failed: {error}")),
        }
    }
}
