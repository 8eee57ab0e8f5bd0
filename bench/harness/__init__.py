"""What bench/run is made of: processes to measure, requests to send, figures to print."""
