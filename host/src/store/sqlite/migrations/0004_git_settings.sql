-- How a dataset is exported as a git repository: null until its first export, and never changed after it.

ALTER TABLE gb_datasets ADD COLUMN git_layout TEXT CHECK (git_layout IN ('flat', 'sharded'));
ALTER TABLE gb_datasets ADD COLUMN git_series INTEGER CHECK ((git_series IS NULL) = (git_layout IS NULL));
