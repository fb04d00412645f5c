//! The option that names models of stages.

use serde_json::{Map, Value};

/// Models of stages.
#[derive(Debug, clap::Args)]
pub(crate) struct Models {
    /// The model of a stage, such as extract_graph=NAME; may be given several times
    #[arg(long = "model", value_name = "STAGE=MODEL", value_parser = parse)]
    models: Vec<(String, String)>,
}

impl Models {
    /// As a field of a request.
    pub(crate) fn field(self) -> Option<Value> {
        let models: Map<_, _> = self.models.into_iter().map(|(stage, model)| (stage, model.into())).collect();
        (!models.is_empty()).then_some(Value::Object(models))
    }
}

fn parse(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((stage, model)) if !stage.is_empty() && !model.is_empty() => Ok((stage.to_owned(), model.to_owned())),
        _ => Err("give a stage and a model, such as extract_graph=gpt-4o".to_owned()),
    }
}
