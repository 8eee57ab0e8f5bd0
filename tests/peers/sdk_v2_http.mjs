// SDK v2 over Streamable HTTP, in every mode. usage: node sdk_v2_http.mjs URL
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

import { walkAllModes } from './v2.mjs';
import { run } from './walk.mjs';

run(([url]) => walkAllModes('v2 http', () => new StreamableHTTPClientTransport(new URL(url))));
