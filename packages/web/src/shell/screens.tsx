import { lazy } from "react";

/** Screens are fetched when they are first shown; the first load carries only what every visit needs. */
export const SessionScreen = lazy(async () => {
  const { SessionScreen } = await import("../transcript/session-screen.tsx");
  return { default: SessionScreen };
});
export const ChangesScreen = lazy(async () => {
  const { ChangesScreen } = await import("../changes/changes-screen.tsx");
  return { default: ChangesScreen };
});
export const ReplayScreen = lazy(async () => {
  const { ReplayScreen } = await import("../transfer/replay-screen.tsx");
  return { default: ReplayScreen };
});
export const UsageScreen = lazy(async () => {
  const { UsageScreen } = await import("../usage/usage-screen.tsx");
  return { default: UsageScreen };
});
export const ConnectScreen = lazy(async () => {
  const { ConnectScreen } = await import("../connect/connect-screen.tsx");
  return { default: ConnectScreen };
});
export const DoctorScreen = lazy(async () => {
  const { DoctorScreen } = await import("../doctor/doctor-screen.tsx");
  return { default: DoctorScreen };
});
export const NewSessionScreen = lazy(async () => {
  const { NewSessionScreen } = await import("../new-session/new-session-screen.tsx");
  return { default: NewSessionScreen };
});
export const ImportDialog = lazy(async () => {
  const { ImportDialog } = await import("../transfer/import-dialog.tsx");
  return { default: ImportDialog };
});
export const Palette = lazy(async () => {
  const { Palette } = await import("./palette.tsx");
  return { default: Palette };
});
export const ShortcutsDialog = lazy(async () => {
  const { ShortcutsDialog } = await import("./shortcuts-dialog.tsx");
  return { default: ShortcutsDialog };
});
