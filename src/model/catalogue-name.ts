/** Under which catalogues are stored beside the workflows: no workflow can have such a name. */
const PREFIX = 'catalogue:';

/** The name under which a catalogue is stored. */
export function storedCatalogueName(catalogue: string): string {
  return `${PREFIX}${catalogue}`;
}

/** The catalogue that is stored under a name; null for the name of a workflow. */
export function catalogueOfStored(name: string): string | null {
  return name.startsWith(PREFIX) ? name.slice(PREFIX.length) : null;
}
