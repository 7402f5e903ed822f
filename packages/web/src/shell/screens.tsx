import { lazyScreen } from "./lazy-screen.tsx";

/** Screens are fetched when they are first shown; the first load carries only what every visit needs. */
export const SessionScreen = lazyScreen(async () => (await import("../session/session-screen.tsx")).SessionScreen);
export const AgentsScreen = lazyScreen(async () => (await import("../agents/agents-screen.tsx")).AgentsScreen);
export const CompareScreen = lazyScreen(async () => (await import("../compare/compare-screen.tsx")).CompareScreen);
export const ComparisonScreen = lazyScreen(
  async () => (await import("../compare/comparison-screen.tsx")).ComparisonScreen,
);
export const ChangesScreen = lazyScreen(async () => (await import("../changes/changes-screen.tsx")).ChangesScreen);
export const ReplayScreen = lazyScreen(async () => (await import("../transfer/replay-screen.tsx")).ReplayScreen);
export const SearchScreen = lazyScreen(async () => (await import("../search/search-screen.tsx")).SearchScreen);
export const FleetScreen = lazyScreen(async () => (await import("../fleet/fleet-screen.tsx")).FleetScreen);
export const UsageScreen = lazyScreen(async () => (await import("../usage/usage-screen.tsx")).UsageScreen);
export const SettingsScreen = lazyScreen(async () => (await import("../settings/settings-screen.tsx")).SettingsScreen);
export const ConnectScreen = lazyScreen(async () => (await import("../connect/connect-screen.tsx")).ConnectScreen);
export const DoctorScreen = lazyScreen(async () => (await import("../doctor/doctor-screen.tsx")).DoctorScreen);
export const NewSessionScreen = lazyScreen(
  async () => (await import("../new-session/new-session-screen.tsx")).NewSessionScreen,
);
export const ImportDialog = lazyScreen(async () => (await import("../transfer/import-dialog.tsx")).ImportDialog);
export const ModelDialog = lazyScreen(async () => (await import("../sessions/model-dialog.tsx")).ModelDialog);
export const PhoneDialog = lazyScreen(async () => (await import("../link/phone-dialog.tsx")).PhoneDialog);
export const Palette = lazyScreen(async () => (await import("./palette.tsx")).Palette);
export const ShortcutsDialog = lazyScreen(async () => (await import("./shortcuts-dialog.tsx")).ShortcutsDialog);
