INSERT INTO gb_run_stages (dataset_id, run_id, number, name, label, output, error)
VALUES (:dataset_id, :run_id, :number, :name, :label, :output, :error)
