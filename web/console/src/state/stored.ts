// Choices of the person, stored in the browser. A browser that stores nothing forgets them.

const PREFIX = 'patchbay.';

/** Where the secret of the session is, for other tabs. */
export const SECRET_KEY = `${PREFIX}csrf`;

export function readStored(name: string): string | undefined {
  try {
    return localStorage.getItem(PREFIX + name) ?? undefined;
  } catch {
    return undefined;
  }
}

export function writeStored(name: string, value: string): void {
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    // It is forgotten with the page.
  }
}
