//! Applying what a plan says of series and what they are tied to.

use gligabao_core::model::{Anchor, AnchorTarget, ArtifactId, EdgeId, EntityId, Series, SeriesId};
use gligabao_core::storage::PutSeries;
use rusqlite::params;

use super::Apply;
use crate::store::sqlite::fail::Outcome;
use crate::store::sqlite::rows::{self, sql_int};
use crate::store::sqlite::series::kind;

impl Apply<'_> {
    pub(super) fn put_series(&mut self, put: &PutSeries) -> Outcome<()> {
        let Series { id, provider, key, field, name, unit, frequency, source, definition, .. } = &put.series;
        let (dataset, number, source) = (self.dataset, sql_int(id.0), source.as_str());
        if *id == self.summary.head.next.series {
            let values = params![
                dataset,
                number,
                provider,
                key,
                field,
                name,
                unit,
                frequency,
                source,
                definition,
                self.committed.at.0,
                put.state,
            ];
            rows::execute(self.conn, include_str!("../sql/insert_series.sql"), values)?;
            self.summary.head.next.series = SeriesId(id.0 + 1);
        } else {
            let values = params![name, unit, frequency, source, definition, put.state, dataset, number];
            rows::execute(self.conn, include_str!("../sql/set_series.sql"), values)?;
        }
        self.touch(*id)
    }

    /// Logs that this commit touched a series.
    pub(super) fn touch(&self, series: SeriesId) -> Outcome<()> {
        let values = [self.dataset, sql_int(self.committed.seq), sql_int(series.0)];
        rows::execute(self.conn, include_str!("../sql/insert_series_commit.sql"), values)?;
        Ok(())
    }

    pub(super) fn put_anchor(&self, anchor: &Anchor) -> Outcome<()> {
        let (artifact, entity, edge) = match anchor.target {
            AnchorTarget::Artifact(ArtifactId(id)) => (Some(sql_int(id)), None, None),
            AnchorTarget::Entity(EntityId(id)) => (None, Some(sql_int(id)), None),
            AnchorTarget::Edge(EdgeId(id)) => (None, None, Some(sql_int(id))),
        };
        let (start, end) = anchor.window.map(|(start, end)| (start.0, end.0)).unzip();
        let values = params![self.dataset, sql_int(anchor.series.0), artifact, entity, edge, anchor.role, start, end];
        rows::execute(self.conn, include_str!("../sql/put_anchor.sql"), values)?;
        Ok(())
    }

    pub(super) fn delete_anchor(&self, series: SeriesId, target: AnchorTarget) -> Outcome<()> {
        let values = [self.dataset, sql_int(series.0), kind(target), sql_int(target.number())];
        rows::execute(self.conn, include_str!("../sql/delete_anchor.sql"), values)?;
        Ok(())
    }

    pub(super) fn delete_series(&self, series: SeriesId) -> Outcome<()> {
        rows::execute(self.conn, include_str!("../sql/delete_one_series.sql"), [self.dataset, sql_int(series.0)])?;
        Ok(())
    }
}
