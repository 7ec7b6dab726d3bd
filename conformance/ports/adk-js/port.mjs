// SPDX-License-Identifier: Apache-2.0
// The port, from where `make port-js` installed it, and a hash of what is really there.

import {createHash} from 'node:crypto';
import {readFileSync, readdirSync} from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';

const home = process.env.ADK_JS_HOME ?? new URL('../../../.ports/adk-js/', import.meta.url).pathname;

export const adk = createRequire(path.join(home, 'package.json'))('@google/adk');

export function sourceHash() {
  const root = path.join(home, 'node_modules/@google/adk/dist/cjs');
  const digest = createHash('sha256');
  const files = readdirSync(root, {recursive: true}).filter((name) => name.endsWith('.js')).sort();
  for (const name of files) digest.update(`${name}\0`).update(readFileSync(path.join(root, name))).update('\0');
  return `sha256:${digest.digest('hex').slice(0, 16)}`;
}
