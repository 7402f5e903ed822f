/** A route as the router knows it. */
export interface ListedRoute {
  readonly method: string;
  /** With parameters as `:name`, and `*` for all that follows. */
  readonly url: string;
  /** Whether it needs no token. */
  readonly isPublic?: boolean;
}

/** The methods that some route answers at this path. */
export function methodsAt(routes: readonly ListedRoute[], path: string): readonly string[] {
  return routes.filter(({ url }) => matches(url, path)).map(({ method }) => method);
}

function matches(url: string, path: string): boolean {
  if (url.endsWith("*")) return path.startsWith(url.slice(0, -1)) && path.length >= url.length;
  const [pattern, parts] = [url.split("/"), path.split("/")];
  if (pattern.length !== parts.length) return false;
  return pattern.every((part, index) => part === parts[index] || (part.startsWith(":") && parts[index] !== ""));
}
