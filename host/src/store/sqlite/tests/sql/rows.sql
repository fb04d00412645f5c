SELECT {columns} FROM {table} ORDER BY 1, 2
