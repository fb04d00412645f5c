//! The notes of `examples/notes`, built in.

/// A note: the name of its file, and what is in it.
pub(super) struct NoteFile {
    pub(super) name: &'static str,
    pub(super) content: &'static str,
}

macro_rules! notes {
    ($($name:literal),* $(,)?) => {
        &[$(NoteFile {
            name: $name,
            content: include_str!(concat!("../../../../examples/notes/", $name, ".md")),
        }),*]
    };
}

/// In the order in which they were told.
pub(super) const NOTES: &[NoteFile] = notes![
    "2022-01-10-a-company-of-one",
    "2022-01-17-rui-at-home",
    "2022-02-01-camila-entra",
    "2022-03-14-anna-joins",
    "2022-03-15-where-anna-was-before",
    "2022-04-04-old-friends",
    "2022-05-02-first-price-list",
    "2022-05-20-um-conhecido-da-camila",
    "2022-06-13-tom-joins",
    "2022-07-08-summer-visit",
    "2022-07-11-mateus-em-casa",
    "2022-08-29-rui-moves",
    "2022-09-12-ingrid-joins",
    "2022-10-03-mateus-entra",
    "2022-11-21-pro-gets-dearer",
    "2022-12-16-end-of-the-first-year",
    "2023-01-09-a-bigger-office",
    "2023-01-30-camila-muda-se",
    "2023-02-20-tom-leaves",
    "2023-03-06-anna-moves",
    "2023-03-27-mini-novo",
    "2023-04-17-a-rumour",
    "2023-05-08-tea-and-coffee",
    "2023-06-05-it-was-another-anna",
    "2023-07-10-beatriz-entra",
    "2023-08-21-ingrid-on-the-road",
    "2023-09-04-news-of-tom",
    "2023-09-18-pro-again",
    "2023-10-16-jonas-joins",
    "2023-11-13-conversa-de-corredor",
    "2023-12-11-winter-party",
    "2024-01-15-new-year-new-price",
    "2024-02-05-o-que-nao-sabiamos-do-mateus",
    "2024-02-26-mateus-sai",
    "2024-03-18-mateus-volta",
    "2024-04-08-third-office",
    "2024-06-03-goodbye-anna",
    "2024-06-24-camila-em-braga",
    "2024-08-12-ingrid-moves-south",
    "2024-09-30-tom-comes-back",
    "2024-11-11-mini-outra-vez",
    "2024-12-09-a-visit",
];

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn every_note_is_built_in_and_can_be_read() {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/notes");
        let mut files: Vec<_> = directory
            .read_dir()
            .expect("the notes are there")
            .map(|entry| entry.expect("readable").path().file_stem().expect("a name").to_string_lossy().into_owned())
            .collect();
        files.sort();
        assert_eq!(NOTES.iter().map(|note| note.name).collect::<Vec<_>>(), files);
        for note in NOTES {
            let parsed = crate::cli::note::parse(note.content).expect("a header");
            let told = parsed.header.iter().find(|(field, _)| *field == "reference_time").expect("a date");
            assert!(note.name.starts_with(&told.1), "{} was told on {}", note.name, told.1);
        }
    }
}
