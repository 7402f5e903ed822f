import type { ConfigEntry } from "./read-config.ts";

/** A setting, wherever it comes from. */
type Setting = Pick<ConfigEntry, "key" | "value">;

/**
 * Settings that are copied by value: how git stores, compares and shows. None of them names a program, a file or a
 * directory, and none is followed by git to another setting.
 */
const COPIED = new RegExp(
  `^(?:${[
    "core\\.(?:filemode|symlinks|ignorecase|precomposeunicode|autocrlf|eol|safecrlf|quotepath|abbrev|checkstat|trustctime)",
    "core\\.(?:sparsecheckout|sparsecheckoutcone|bigfilethreshold|commentchar|logallrefupdates|whitespace)",
    "extensions\\.partialclone",
    "(?:user|author|committer)\\.(?:name|email)",
    "init\\.defaultbranch",
    "(?:pull|merge)\\.ff",
    "pull\\.rebase",
    "merge\\.(?:conflictstyle|renames)",
    "rebase\\.(?:autosquash|autostash|updaterefs)",
    "diff\\.(?:renames|algorithm|mnemonicprefix|noprefix)",
    "branch\\.(?:autosetupmerge|autosetuprebase)",
    "branch\\..+\\.(?:remote|merge|rebase)",
    "remote\\..+\\.(?:url|pushurl|fetch|promisor|partialclonefilter|tagopt)",
    "push\\.(?:default|autosetupremote|followtags)",
    "commit\\.(?:cleanup|verbose)",
    "tag\\.sort",
  ].join("|")})$`,
);

const FILTER = /^filter\.(.*)\.[^.]+$/s;

/**
 * The configuration of the repository inside. Filters are named and refuse: a file that the repository encrypts, or keeps
 * elsewhere, must not be committed as it is because its program is not there.
 */
export function privateConfig(entries: readonly Setting[], objectFormat: string, isBare = false): string {
  const isSha1 = objectFormat === "sha1";
  const isPartial = entries.some(({ key }) => key === "extensions.partialclone");
  return [
    line("core.repositoryformatversion", isSha1 && !isPartial ? "0" : "1"),
    ...(isSha1 ? [] : [line("extensions.objectformat", objectFormat)]),
    line("core.bare", String(isBare)),
    ...identityConfig(entries),
    ...entries
      .filter(({ key }) => COPIED.test(key) && !isIdentity(key))
      .map(({ key, value }) => line(key, bare(value))),
    ...refusingFilters(entries, "false"),
  ].join("");
}

function refusingFilters(entries: readonly Setting[], smudge: string): readonly string[] {
  const filters = new Set(entries.flatMap(({ key }) => FILTER.exec(key)?.[1] ?? []));
  return [...filters].flatMap((name) => [
    line(`filter.${name}.clean`, "false"),
    line(`filter.${name}.smudge`, smudge),
    line(`filter.${name}.required`, "true"),
  ]);
}

/**
 * All that the sandbox's home knows of the user's own configuration: whose commits they are, which files are ignored and have
 * filters. In a repository below the workspace, too, nothing is committed without its filter; a clone keeps what it finds.
 */
export function homeConfig(
  entries: readonly Setting[],
  lists: { readonly ignore: string; readonly attributes: string },
): string {
  return [
    ...identityConfig(entries),
    line("core.excludesFile", lists.ignore),
    line("core.attributesFile", lists.attributes),
    ...refusingFilters(entries, "cat"),
  ].join("");
}

/** Whose commits they are. */
function identityConfig(entries: readonly Setting[]): readonly string[] {
  const last = new Map(entries.filter(({ key }) => isIdentity(key)).map(({ key, value }) => [key, value]));
  return [...last].map(([key, value]) => line(key, value));
}

function isIdentity(key: string): boolean {
  return /^(?:user|author|committer)\.(?:name|email)$/.test(key);
}

/** An address may hold a password. */
function bare(value: string | undefined): string | undefined {
  return value?.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, "$1");
}

/** As git writes it. A section's own name is what stands before the first point, a setting's what stands behind the last. */
function line(key: string, value: string | undefined): string {
  const [first, last] = [key.indexOf("."), key.lastIndexOf(".")];
  const section = key.slice(0, first);
  const header = first === last ? `[${section}]` : `[${section} "${escaped(key.slice(first + 1, last))}"]`;
  const name = key.slice(last + 1);
  if (value === undefined) return `${header}\n\t${name}\n`;
  const quoted = escaped(value).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
  return `${header}\n\t${name} = "${quoted}"\n`;
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"');
}
