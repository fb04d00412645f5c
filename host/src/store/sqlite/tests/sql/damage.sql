UPDATE gb_chunks SET numbers = CAST(substr(numbers, 1, length(numbers) - 1) || x'5a' AS BLOB) WHERE first = 0
