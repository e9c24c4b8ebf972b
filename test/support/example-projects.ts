import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const root = fileURLToPath(new URL('../../', import.meta.url));
const examples = join(root, 'docs/examples');
const toSection = (path: string) => {
  const text = readFileSync(join(root, path), 'utf8');
  return path === 'docs/clients.md' ? text : text.replaceAll(/^#+ /gm, '#$&');
};
/** The pages about clients, each as a section. */
const page = ['docs/clients.md', ...readdirSync(join(root, 'docs/clients')).map((name) => `docs/clients/${name}`)]
  .map((path) => `\n${toSection(path)}`)
  .join('\n');
const execute = promisify(execFile);

/** A project outside the checkout. */
export interface Project {
  readonly folder: string;
  /** Runs a command of an installed package. Rejects if it fails. */
  readonly command: (name: string, gateway: { readonly url: string }) => Promise<string>;
  readonly compile: () => Promise<unknown>;
  /** The lines that a compiled example prints. */
  readonly run: (name: string, gateway: { readonly url: string }, args?: readonly string[]) => Promise<string[]>;
}

interface ProjectFiles {
  /** Examples that the page does not show. */
  readonly files?: readonly string[];
  readonly packages?: readonly string[];
  /** Folders and files that another project generated. */
  readonly generated?: { readonly by: Project; readonly paths: readonly string[] };
}

const folders: string[] = [];

export function removeProjects(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** Makes a project of a section of docs/clients.md, or of a page in docs/clients: its files, and no packages but those that it installs. */
export function createProject(heading: string, { files = [], packages = [], generated }: ProjectFiles = {}): Project {
  const folder = mkdtempSync(join(tmpdir(), 'project-'));
  folders.push(folder);
  const [, section = ''] = new RegExp(`\n## ${heading}\n(.*?)(?=\n## |$)`, 's').exec(page) ?? [];
  const shown = [...section.matchAll(/<!-- generated (\S+) begin -->/g)].map(([, name = '']) => name);
  const installed = [...section.matchAll(/^npm install (?:--save-dev )?(.*)$/gm)].flatMap(([, names = '']) =>
    names.split(' ').map((name) => name.replace(/^\.\/(ledger-gateway)-.*\.tgz$/, '$1')),
  );
  for (const name of ['tsconfig.json', ...shown, ...files]) cpSync(join(examples, name), join(folder, name));
  for (const path of generated?.paths ?? [])
    cpSync(join(generated?.by.folder ?? '', 'generated', path), join(folder, 'generated', path), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  for (const name of new Set(['@types/node', ...installed, ...packages])) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(name === 'ledger-gateway' ? root : join(root, 'node_modules', name), link);
  }
  const start = async (file: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    (await execute(file, args, { cwd: folder, env: { ...process.env, ...env } })).stdout;
  const binaries = join(root, 'node_modules/.bin');
  const toEnv = ({ url }: { readonly url: string }) => ({ GATEWAY: `${url}/graphql` });
  return {
    folder,
    command: (name, gateway) => start(join(binaries, name), [], toEnv(gateway)),
    compile: () =>
      start(join(binaries, 'tsc'), []).catch(({ stdout }: { stdout?: string }) => {
        throw new Error(`the example is not what its types say:\n${stdout}`);
      }),
    run: async (name, gateway, args = []) => {
      const flags = ['--experimental-websocket', '--experimental-eventsource', '--no-warnings'];
      const out = await start(process.execPath, [...flags, `generated/js/${name}.js`, ...args], toEnv(gateway));
      return out.trim().split('\n');
    },
  };
}

/** The project whose output most sections use. */
export async function createCodegenProject(gateway: { readonly url: string }): Promise<Project> {
  const project = createProject('GraphQL Code Generator', { files: ['texts.ts'] });
  await project.command('graphql-codegen', gateway);
  return project;
}

/** The examples of the package's own client, compiled. */
export async function createPackagedProject(codegen: Project): Promise<Project> {
  const project = createProject('The client of this package', {
    files: ['live.ts', 'live-in-node.ts', 'live-in-react.ts', 'index.html'],
    // Nothing is published: the checkout stands for the archives that the section installs.
    packages: ['ledger-gateway', 'react', 'react-dom', '@types/react', '@types/react-dom'],
    generated: { by: codegen, paths: ['texts'] },
  });
  await project.compile();
  return project;
}
