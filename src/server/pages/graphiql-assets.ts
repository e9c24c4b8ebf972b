import { graphiqlBoot } from './graphiql-boot.ts';
import { makePageFile, type PageFile } from './page-file.ts';

/** The parts of GraphiQL that never change while the process lives, and where each of them is. */
export interface GraphiqlAssets {
  /** By path. A path holds a hash of its file, so browsers may keep the file for ever. */
  readonly files: ReadonlyMap<string, PageFile>;
  readonly paths: GraphiqlPaths;
}

export interface GraphiqlPaths {
  readonly style: string;
  readonly script: string;
  /** The script that starts GraphiQL once the others are loaded. */
  readonly boot: string;
  /** By the names that the editor has for them. */
  readonly workers: { readonly editorWorkerService: string; readonly json: string; readonly graphql: string };
}

/** The path below which all assets are. */
export const assetsPath = '/graphiql/';

/**
 * GraphiQL leaves an old offset on tabs that are not focused. Pressing such a tab moves it away from under the pointer,
 * and the click does nothing. Without offsets the tabs stay where they are.
 */
const tabsStayInPlace = '.graphiql-tab { transform: none !important; }';

/** Loads GraphiQL, 9 MB of text, and compresses it. Call it only once, and only when somebody asks for the page. */
export async function loadGraphiqlAssets(): Promise<GraphiqlAssets> {
  const { css, js, editorWorkerService, jsonWorker, graphqlWorker } = await import(
    '@graphql-yoga/render-graphiql/graphiql'
  );
  const files = new Map<string, PageFile>();
  const add = async (name: string, text: string, type: 'text/css' | 'text/javascript') => {
    const file = await makePageFile(text, type);
    const path = `${assetsPath}${name}-${file.hash}.${type === 'text/css' ? 'css' : 'js'}`;
    files.set(path, file);
    return path;
  };
  const addScript = (name: string, text: string) => add(name, text, 'text/javascript');
  const [style, script, boot, editor, json, graphql] = await Promise.all([
    add('style', `${css}\n${tabsStayInPlace}`, 'text/css'),
    addScript('graphiql', js),
    addScript('boot', graphiqlBoot),
    addScript('editor-worker', editorWorkerService),
    addScript('json-worker', jsonWorker),
    addScript('graphql-worker', graphqlWorker),
  ]);
  return { files, paths: { style, script, boot, workers: { editorWorkerService: editor, json, graphql } } };
}
