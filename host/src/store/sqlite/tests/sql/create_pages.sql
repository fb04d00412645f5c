CREATE TABLE pages (page BLOB);
