# The example needs HAProxy, and Valkey or Redis.
PATH=$PATH:/usr/sbin
command -v haproxy && { command -v valkey-server || command -v redis-server; }
