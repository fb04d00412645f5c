//! Relations: how they are spelled, which ones mean the same, which rules they begin with and which are private.

use crate::clean::is_hidden;
use crate::model::Predicate;
use crate::names::normalize;
use crate::storage::rules::MAX_RELATION;

/// A relation that the memory knows from the start.
struct BuiltIn {
    name: &'static str,
    functional: bool,
    description: &'static str,
    /// Other spellings, in snake_case, of English and Portuguese.
    synonyms: &'static [&'static str],
}

const BUILT_IN: &[BuiltIn] = &[
    BuiltIn {
        name: "works_at",
        functional: true,
        description: "The organization that somebody works for.",
        synonyms: &[
            "works_for",
            "work_at",
            "work_for",
            "employed_by",
            "employed_at",
            "employee_of",
            "trabalha_em",
            "trabalha_para",
            "trabalha_na",
            "trabalha_no",
        ],
    },
    BuiltIn {
        name: "lives_in",
        functional: true,
        description: "The place where somebody lives.",
        synonyms: &["live_in", "resides_in", "residing_in", "mora_em", "vive_em", "reside_em"],
    },
    BuiltIn {
        name: "based_in",
        functional: true,
        description: "The place where an organization has its seat.",
        synonyms: &["headquartered_in", "sediada_em", "sediado_em"],
    },
    BuiltIn {
        name: "costs",
        functional: true,
        description: "The price of something, as it is told.",
        synonyms: &["price", "has_price", "priced_at", "custa", "preco"],
    },
    BuiltIn {
        name: "comes_from",
        functional: false,
        description: "The place where somebody is from.",
        synonyms: &["is_from", "e_de"],
    },
    BuiltIn {
        name: "likes",
        functional: false,
        description: "What somebody likes.",
        synonyms: &["loves", "prefers", "enjoys", "gosta_de", "adora", "ama"],
    },
    BuiltIn {
        name: "knows",
        functional: false,
        description: "Somebody that a person knows.",
        synonyms: &["friend_of", "is_friend_of", "conhece", "amigo_de", "amiga_de"],
    },
    BuiltIn {
        name: "met",
        functional: false,
        description: "Somebody that a person has met.",
        synonyms: &["met_with", "conheceu", "encontrou"],
    },
    BuiltIn {
        name: "dislikes",
        functional: false,
        description: "What somebody doesn't like.",
        synonyms: &["hates", "detests", "odeia", "detesta"],
    },
    BuiltIn {
        name: "studied_at",
        functional: false,
        description: "The school or university that somebody goes or went to.",
        synonyms: &["studies_at", "graduated_from", "alumna_of", "alumnus_of", "estudou_em", "estuda_em"],
    },
    BuiltIn {
        name: "speaks",
        functional: false,
        description: "A language that somebody speaks.",
        synonyms: &["speaks_language", "fala"],
    },
    BuiltIn {
        name: "allergic_to",
        functional: false,
        description: "What somebody is allergic to.",
        synonyms: &["has_allergy_to", "alergico_a", "alergica_a"],
    },
    BuiltIn {
        name: "owns",
        functional: false,
        description: "What somebody owns.",
        synonyms: &["owner_of", "is_owner_of", "dono_de", "dona_de"],
    },
    BuiltIn {
        name: "visited",
        functional: false,
        description: "A place that somebody was at.",
        synonyms: &["visitou"],
    },
];

/// Words that make a relation private wherever they stand in its name, because the value is private by kind. They are
/// compared without the `_` between words.
const PRIVATE: &[&str] = &[
    "access_token",
    "account_number",
    "address",
    "api_key",
    "bank_account",
    "bank_details",
    "card_number",
    "cartao_de_credito",
    "cartoes_de_credito",
    "celular",
    "conta_bancaria",
    "cpf",
    "credit_card",
    "cvc",
    "cvv",
    "debit_card",
    "driver_license",
    "drivers_license",
    "e_mail",
    "email",
    "endereco",
    "iban",
    "mobile_number",
    "passcode",
    "passport",
    "password",
    "passwd",
    "phone",
    "pin_code",
    "pin_number",
    "private_key",
    "secret_key",
    "senha",
    "social_security",
    "ssn",
    "tax_id",
    "taxpayer_id",
    "telefone",
    "telephone",
];

/// Words that are private only as a whole name: within others they mean something else.
const PRIVATE_ALONE: &[&str] =
    &["addresses", "cell", "cellular", "e_mails", "emails", "mobile", "phones", "pin", "rg", "telephones"];

/// Words around a private one that change nothing of it.
const AROUND: &[&str] = &[
    "a", "as", "current", "da", "de", "do", "has", "have", "her", "his", "home", "is", "main", "my", "new", "no",
    "number", "numero", "o", "of", "os", "personal", "private", "s", "sao", "seu", "sua", "tem", "the", "their",
    "work",
];

/// The relation that a name means: in snake_case, synonyms mapped to one. `None` when nothing is left of it or it is
/// over 64 bytes.
#[must_use]
pub fn relation(name: &str) -> Option<String> {
    let snake = snake_case(name);
    if snake.is_empty() || snake.len() > MAX_RELATION {
        return None;
    }
    let known = BUILT_IN.iter().find(|known| known.name == snake || known.synonyms.contains(&snake.as_str()));
    Some(known.map_or(snake, |known| known.name.to_owned()))
}

/// Whether a relation (as [`relation`] gives it) is private by kind: a private word stands in its name. A plural that
/// is a verb as well, as in `addresses_the_crowd`, counts only where the name has nothing else to say.
#[must_use]
pub fn is_private(relation: &str) -> bool {
    let words: Vec<&str> = relation.split('_').collect();
    let bare: Vec<&str> = words.iter().copied().filter(|word| !AROUND.contains(word)).collect();
    let runs = (0..words.len()).flat_map(|first| (first + 1..=words.len()).map(move |end| (first, end)));
    is_one_of(PRIVATE_ALONE, &bare) || runs.into_iter().any(|(first, end)| is_one_of(PRIVATE, &words[first..end]))
}

/// Whether words are one of these names, in the plural too unless that is a verb as well.
fn is_one_of(names: &[&str], words: &[&str]) -> bool {
    let spelled = words.concat();
    let is = |form: &str| names.iter().any(|name| name.split('_').flat_map(str::chars).eq(form.chars()));
    let singular = |word: &&str| word.strip_suffix('s').unwrap_or(word).to_owned();
    let is_alone = PRIVATE_ALONE.iter().any(|name| name.split('_').flat_map(str::chars).eq(spelled.chars()));
    is(&spelled)
        || !is_alone
            && (is(&words.iter().map(singular).collect::<String>()) || spelled.strip_suffix("es").is_some_and(is))
}

/// The rules that a relation begins with when it is first told.
#[must_use]
pub fn predicate(relation: &str) -> Predicate {
    let known = BUILT_IN.iter().find(|known| known.name == relation);
    Predicate {
        name: relation.to_owned(),
        functional: known.is_some_and(|known| known.functional),
        description: known.map_or_else(String::new, |known| known.description.to_owned()),
    }
}

/// Whether what a relation points at is never an entity but a literal, such as a price.
#[must_use]
pub fn has_literal_object(relation: &str) -> bool {
    relation == "costs"
}

/// The relations that are known from the start.
pub(crate) fn built_in() -> impl Iterator<Item = &'static str> {
    BUILT_IN.iter().map(|known| known.name)
}

/// The words by which people ask for a relation: those of its name and of its synonyms.
pub(crate) fn words(relation: &str) -> impl Iterator<Item = &str> {
    let synonyms = BUILT_IN.iter().find(|known| known.name == relation).map_or(&[][..], |known| known.synonyms);
    std::iter::once(relation).chain(synonyms.iter().copied()).flat_map(|name| name.split('_'))
}

fn snake_case(name: &str) -> String {
    let mut words = String::with_capacity(name.len());
    let mut after_lower = false;
    for c in name.chars().filter(|c| !is_hidden(*c)) {
        if c.is_uppercase() && after_lower {
            words.push(' ');
        }
        after_lower = c.is_lowercase() || c.is_numeric();
        words.push(if c.is_alphanumeric() || !c.is_ascii() { c } else { ' ' });
    }
    normalize(&words).replace(' ', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_and_synonyms_are_one_relation() {
        for name in
            ["works_at", "works at", "Works-At", "worksAt", "works for", "employed_by", "trabalha em", " WORKS AT "]
        {
            assert_eq!(relation(name).as_deref(), Some("works_at"), "{name}");
        }
        assert_eq!(relation("é amigo-de").as_deref(), Some("e_amigo_de"));
        assert_eq!(relation("ceoOf").as_deref(), Some("ceo_of"));
    }

    #[test]
    fn what_names_no_relation_is_none() {
        for name in ["", "  ", "--", &"x".repeat(65)] {
            assert_eq!(relation(name), None, "{name}");
        }
    }

    #[test]
    fn private_relations_are_found_in_every_spelling() {
        for name in [
            "SSN",
            "credit-card",
            "creditCards",
            "Phone Number",
            "e-mail",
            "e-mails",
            "hasEmail",
            "addresses",
            "home addresses",
            "Endereço",
            "bank_account_number",
            "ssn_last4",
            "email_address_is",
            "password_is",
            "is_password_of",
            "cell_phone",
            "mobile",
            "mobileNumber",
            "cvv",
            "api_key",
            "APIKey",
            "phone_number_of",
            "telefone",
            "celulares",
            "senha",
            "cartão de crédito",
            "contas bancárias",
            "número do RG",
            "has pin",
            "pho\u{200b}ne",
            "ｐｈｏｎｅ",
        ] {
            assert!(is_private(&relation(name).expect("a relation")), "{name}");
        }
        for name in [
            "works_at",
            "addresses_the_crowd",
            "spinning",
            "pinned_to",
            "mobile_developer_at",
            "cell_biologist_at",
            "orgs",
            "accounts_for",
            "key_member_of",
            "token_of",
            "carded_by",
            "conta_com",
        ] {
            assert!(!is_private(&relation(name).expect("a relation")), "{name}");
        }
    }

    #[test]
    fn a_new_relation_begins_with_its_built_in_rules() {
        assert!(predicate("works_at").functional);
        assert!(!predicate("likes").functional);
        assert!(!predicate("plays").functional);
    }
}
