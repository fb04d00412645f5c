//! The one error that a request ends with.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use gligabao_core::model::{Failure, FailureCode};
use gligabao_core::storage::StorageError;

use crate::memory::{CallError, ExportError, Failed};
use crate::wire::error::ErrorBody;

/// Why a request failed, ready to be sent.
#[derive(Debug)]
pub struct ApiError {
    status: StatusCode,
    body: ErrorBody,
    /// Seconds after which trying again makes sense.
    retry_after: Option<u64>,
    /// Whether the client is to say who is asking.
    ask_for_user: bool,
}

impl ApiError {
    /// A failure that is about no field.
    pub(crate) fn new(status: StatusCode, code: &str, message: impl Into<String>) -> Self {
        let body = ErrorBody { error: message.into(), code: code.to_owned(), field: None, run_id: None };
        Self { status, body, retry_after: None, ask_for_user: false }
    }

    /// A malformed request (400) that is about no field.
    pub(crate) fn malformed(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, FailureCode::Invalid.as_str(), message)
    }

    /// A malformed field (400); the message says what it must be.
    pub(crate) fn field(field: impl Into<String>, message: impl Into<String>) -> Self {
        Failure::field(field, message).into()
    }

    /// Nobody said who is asking (401). A client of plain HTTP, such as git, is asked.
    pub(crate) fn unknown_user() -> Self {
        let message = "name the user: http://USER@HOST/…, the header gb-user-id, or the parameter user_id";
        Self { ask_for_user: true, ..Self::new(StatusCode::UNAUTHORIZED, "unauthorized", message) }
    }

    /// A defect (500). The incident is in the server's log, next to what happened.
    pub(crate) fn incident(incident: String) -> Self {
        CallError::Trapped { incident }.into()
    }
}

impl From<Failure> for ApiError {
    fn from(failure: Failure) -> Self {
        let status = match failure.code {
            FailureCode::Invalid => StatusCode::BAD_REQUEST,
            FailureCode::NotFound => StatusCode::NOT_FOUND,
            FailureCode::Conflict => StatusCode::CONFLICT,
            FailureCode::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            FailureCode::Unsatisfiable => StatusCode::UNPROCESSABLE_ENTITY,
            FailureCode::Limited => StatusCode::TOO_MANY_REQUESTS,
            FailureCode::Model => StatusCode::BAD_GATEWAY,
            FailureCode::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            FailureCode::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        };
        let retry_after = failure.retry_after.map(u64::from);
        let mut error = Self { retry_after, ..Self::new(status, failure.code.as_str(), failure.message) };
        error.body.field = failure.field;
        error
    }
}

impl From<StorageError> for ApiError {
    fn from(error: StorageError) -> Self {
        let code = match error {
            StorageError::NoDataset => return CallError::NoDataset.into(),
            StorageError::Conflict(_) | StorageError::SnapshotGone => FailureCode::Conflict,
            StorageError::TooLarge(_) => FailureCode::TooLarge,
            StorageError::Unavailable(_) => FailureCode::Unavailable,
            StorageError::Invalid(_) => FailureCode::Internal,
        };
        // What a store says may name files and statements: that is for the log, not for the caller.
        tracing::error!(%error, "storage failed");
        let message = match code {
            FailureCode::Conflict => "others kept changing the dataset; try again",
            FailureCode::TooLarge => "it is over a limit of the store",
            FailureCode::Unavailable => "the database does not answer; the server's log says why",
            _ => "the database refused the change; the server's log says why",
        };
        Failure::new(code, message).into()
    }
}

impl From<CallError> for ApiError {
    fn from(error: CallError) -> Self {
        let words = error.to_string();
        match error {
            CallError::Failure(failure) => failure.into(),
            CallError::NoDataset => {
                let mut error = Self::new(StatusCode::NOT_FOUND, FailureCode::NotFound.as_str(), words);
                error.body.field = Some("dataset".to_owned());
                error
            }
            CallError::Trapped { .. } => {
                Self::new(StatusCode::INTERNAL_SERVER_ERROR, FailureCode::Internal.as_str(), words)
            }
            CallError::TimedOut => Self::new(StatusCode::SERVICE_UNAVAILABLE, "timed_out", words),
            CallError::Busy => {
                Self { retry_after: Some(1), ..Self::new(StatusCode::SERVICE_UNAVAILABLE, "busy", words) }
            }
            CallError::Storage(error) => error.into(),
        }
    }
}

impl From<ExportError> for ApiError {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Call(error) => error.into(),
            ExportError::Repository(error) => {
                // It names files of the server.
                tracing::error!(%error, "a repository could not be kept");
                let message = "the repository could not be written; the server's log says why";
                Failure::new(FailureCode::Unavailable, message).into()
            }
        }
    }
}

impl From<Failed> for ApiError {
    fn from(failed: Failed) -> Self {
        let mut error = Self::from(failed.error);
        error.body.run_id = failed.run_id.map(|run| run.0);
        error
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        if self.status.is_server_error() {
            tracing::error!(status = self.status.as_u16(), code = self.body.code, "request failed");
        }
        let mut response = (self.status, Json(self.body)).into_response();
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.ask_for_user {
            let basic = HeaderValue::from_static("Basic realm=\"gligabao\", charset=\"UTF-8\"");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, basic);
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::TOO_BUSY;

    #[test]
    fn a_failure_has_its_status_and_says_when_to_come_back() {
        for (code, retry_after, status, header) in [
            (FailureCode::Unsatisfiable, None, 422, None),
            (FailureCode::Limited, Some(7), 429, Some("7")),
            (FailureCode::Model, None, 502, None),
            (FailureCode::Unavailable, Some(60), 503, Some("60")),
        ] {
            let failure = Failure { retry_after, ..Failure::new(code, "why") };
            let failed = Failed { run_id: Some(gligabao_core::model::RunId(3)), error: CallError::Failure(failure) };
            let error = ApiError::from(failed);
            assert_eq!((error.body.code.as_str(), error.body.run_id), (code.as_str(), Some(3)));
            let response = error.into_response();
            let told = response.headers().get(header::RETRY_AFTER).map(|value| value.to_str().expect("a text"));
            assert_eq!((response.status().as_u16(), told), (status, header), "{code}");
        }
    }

    #[test]
    fn a_store_with_no_free_reader_is_busy_and_not_broken() {
        let sent = |why: &str| {
            let error = CallError::from(StorageError::Unavailable(why.to_owned()));
            let error = ApiError::from(error);
            let code = error.body.code.clone();
            let response = error.into_response();
            (response.status().as_u16(), code, response.headers().contains_key(header::RETRY_AFTER))
        };
        assert_eq!(sent(TOO_BUSY), (503, "busy".to_owned(), true));
        assert_eq!(sent("the disk is full"), (503, "unavailable".to_owned(), false));
    }
}
