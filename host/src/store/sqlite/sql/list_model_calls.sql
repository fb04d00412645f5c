SELECT stage, model, provider, reasoning, tokens_in, tokens_out, cost_usd, latency_ms, attempts, error
FROM gb_model_calls
WHERE dataset_id = :dataset_id AND run_id = :run_id
ORDER BY number
