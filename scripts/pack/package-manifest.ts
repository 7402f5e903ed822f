interface RootManifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly engines: Readonly<Record<string, string>>;
}

/** The manifest of what is published. It has no dependencies: everything is bundled. */
export function packageManifest({ name, version, description, license, engines }: RootManifest): object {
  return {
    name,
    version,
    description,
    keywords: ["cursor", "agent", "gateway", "openai", "anthropic", "acp", "mcp"],
    license,
    type: "module",
    engines,
    bin: {
      caret: "cli/bin/caret.js",
      // `npx` runs the command that is called as the package is.
      [name]: "cli/bin/caret.js",
      "caret-sim-agent": "simulator/bin/caret-sim-agent.js",
      "caret-sim-upstream": "simulator/bin/caret-sim-upstream.js",
    },
    exports: {
      ".": { types: "./types/cli/library/library-main.d.ts", default: "./cli/build/library.js" },
      "./client": { types: "./types/cli/library/client.d.ts", default: "./cli/build/client.js" },
      "./simulator": { types: "./types/simulator/index.d.ts", default: "./simulator/build/index.js" },
      "./package.json": "./package.json",
    },
    files: [
      "cli",
      "simulator",
      "web",
      "opencode-plugin",
      "pi-provider",
      "types",
      "CHANGELOG.md",
      "THIRD-PARTY-LICENCES.txt",
      "sbom.cdx.json",
    ],
  };
}

/** What the programs read of their own package: its version, and that its files are ES modules. */
export function innerManifest(name: string, version: string): object {
  return { name, version, private: true, type: "module" };
}
