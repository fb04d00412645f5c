DELETE FROM gb_edges WHERE edge_id = 1
