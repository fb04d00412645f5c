INSERT INTO gb_model_calls (
  dataset_id, run_id, number, stage, model, provider, reasoning, tokens_in, tokens_out, cost_usd, latency_ms, attempts,
  error
) VALUES (
  :dataset_id, :run_id, :number, :stage, :model, :provider, :reasoning, :tokens_in, :tokens_out, :cost_usd, :latency_ms,
  :attempts, :error
)
