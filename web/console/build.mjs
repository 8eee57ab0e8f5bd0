// Builds dist/ from src/, or with --test bundles the unit tests and runs them.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(fileURLToPath(import.meta.url));
const out = join(root, 'dist');

const shared = {
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  target: 'es2022',
  logLevel: 'warning',
};

/** The name that a source got in dist/, relative to dist/. */
function outputOf(metafile, source) {
  for (const [path, { entryPoint }] of Object.entries(metafile.outputs)) {
    if (entryPoint === source) return relative('dist', path);
  }
  throw new Error(`${source} was not built`);
}

async function pages() {
  rmSync(out, { recursive: true, force: true });
  const { metafile } = await build({
    ...shared,
    entryPoints: ['src/main.tsx', 'src/style/style.css'],
    outdir: 'dist',
    entryNames: 'assets/[name]-[hash]',
    chunkNames: 'assets/[name]-[hash]',
    assetNames: 'assets/[name]-[hash]',
    splitting: true,
    minify: true,
    metafile: true,
    legalComments: 'none',
    loader: { '.svg': 'file' },
  });
  const html = readFileSync(join(root, 'src/index.html'), 'utf8')
    .replace('main.tsx', outputOf(metafile, 'src/main.tsx'))
    .replace('style.css', outputOf(metafile, 'src/style/style.css'));
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, 'index.html'), html);
}

async function tests() {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-console-'));
  try {
    const files = readdirSync(join(root, 'src'), { recursive: true });
    const entryPoints = files.filter((file) => file.endsWith('.test.ts'));
    await build({
      ...shared,
      entryPoints: entryPoints.map((file) => join('src', file)),
      outdir: folder,
      platform: 'node',
      outExtension: { '.js': '.mjs' },
      sourcemap: 'inline',
    });
    const built = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith('.mjs'));
    const run = spawnSync(
      process.execPath,
      ['--enable-source-maps', '--test', ...built.map((file) => join(folder, file))],
      { stdio: 'inherit' },
    );
    process.exitCode = run.status ?? 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await (process.argv.includes('--test') ? tests() : pages());
