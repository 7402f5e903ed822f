/** The file name of a `content-disposition`, without anything that could be a path. */
export function attachmentName(disposition: string | null, otherwise: string): string {
  const [, encoded] = /filename\*=UTF-8''([^;]+)/i.exec(disposition ?? "") ?? [];
  const [, quoted, plain] = /filename="([^"]*)"|filename=([^;"\s]+)/i.exec(disposition ?? "") ?? [];
  const name = decoded(encoded) ?? quoted ?? plain ?? "";
  const bare = name.replaceAll(/[/\\\p{Cc}]/gu, "_").trim();
  return bare === "" ? otherwise : bare;
}

function decoded(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    // Badly encoded: the plain name stands beside it.
    return undefined;
  }
}
