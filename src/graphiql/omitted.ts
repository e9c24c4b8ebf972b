// Parts of GraphiQL and its editor that the page does not use; the build puts this file in place of their modules.
import { createElement, type HTMLAttributes } from 'react';

export class DiffEditorWidget {}
export class MultiDiffEditorWidget {}
export class StandaloneQuickInputService {}

/** The editor creates and disposes of its minimap even if it is off. */
export class Minimap {
  readonly domNode = document.createElement('div');
  getDomNode = () => this;
  shouldRender = () => false;
  forceShouldRender() {}
  dispose() {}
}

type Tabs = HTMLAttributes<HTMLElement> & { axis?: string; values?: unknown; value?: unknown; onReorder?: unknown };
type Tab = Tabs & { dragElastic?: boolean };

/** GraphiQL's tabs without dragging: the library for it has 130 KB, and moves a pressed tab away from the pointer. */
export const Reorder = {
  Group: ({ axis: _, values: _values, onReorder: _onReorder, ...props }: Tabs) => createElement('ul', props),
  Item: ({ dragElastic: _, value: _value, ...props }: Tab) => createElement('li', props),
};
