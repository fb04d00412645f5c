//! Options that are pairs: a model of a stage, a price of a model.

use std::str::FromStr;

use crate::llm::Price;

/// `STAGE=MODEL`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct StageModel {
    pub(super) stage: String,
    pub(super) model: String,
}

/// `MODEL=IN/OUT`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ModelPrice {
    pub(super) model: String,
    pub(super) price: Price,
}

impl FromStr for StageModel {
    type Err = &'static str;

    fn from_str(pair: &str) -> Result<Self, Self::Err> {
        match pair.split_once('=') {
            Some((stage, model)) if !stage.is_empty() && !model.is_empty() => {
                Ok(Self { stage: stage.trim().to_owned(), model: model.trim().to_owned() })
            }
            _ => Err("give a stage and a model, such as query=large"),
        }
    }
}

impl FromStr for ModelPrice {
    type Err = &'static str;

    fn from_str(pair: &str) -> Result<Self, Self::Err> {
        let parts = pair.rsplit_once('=').filter(|(model, _)| !model.is_empty());
        let price = parts.and_then(|(_, price)| price.split_once('/'));
        let dollars = |text: &str| text.trim().parse().ok().filter(|price| is_price(*price));
        match (parts, price.and_then(|(input, output)| Some((dollars(input)?, dollars(output)?)))) {
            (Some((model, _)), Some((input, output))) => {
                Ok(Self { model: model.trim().to_owned(), price: Price { input, output } })
            }
            _ => Err("give a model and two prices in dollars a million tokens, such as large=2.5/10"),
        }
    }
}

/// Whether a number may be a price.
pub(super) fn is_price(dollars: f64) -> bool {
    dollars.is_finite() && dollars >= 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_read_or_refused() {
        let pair = StageModel { stage: "query".to_owned(), model: "qwen3:8b".to_owned() };
        assert_eq!("query=qwen3:8b".parse(), Ok(pair));
        let priced = ModelPrice { model: "a/b=c".to_owned(), price: Price { input: 2.5, output: 10.0 } };
        assert_eq!("a/b=c=2.5/10".parse(), Ok(priced));
        for pair in ["", "query", "=m", "query="] {
            assert!(pair.parse::<StageModel>().is_err(), "{pair}");
        }
        for pair in ["", "m", "m=1", "m=1/", "m=a/b", "=1/2", "m=-1/2", "m=NaN/1", "m=1/inf"] {
            assert!(pair.parse::<ModelPrice>().is_err(), "{pair}");
        }
    }
}
