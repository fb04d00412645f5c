INSERT INTO pages VALUES (zeroblob(16384));
