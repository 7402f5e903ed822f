import { useState } from "react";
import { ModelChoice } from "../choices/model-choice.tsx";
import { usePageData } from "../data/page-data-context.tsx";
import { useAbout } from "../data/page-hooks.ts";
import { ChangeDialog, type SessionDialogProps } from "./change-dialog.tsx";

export function ModelDialog({ session, onClose }: SessionDialogProps) {
  const { api, put } = usePageData();
  const about = useAbout();
  const [model, setModel] = useState(session.model ?? "");
  const defaultModel = about?.defaultModel ?? "auto";
  const change = async (): Promise<void> => put(await api.changeSession(session.id, { model: model || defaultModel }));
  return (
    <ChangeDialog action="Change" isReady onChange={change} onClose={onClose} title="Model of the next turns">
      <ModelChoice defaultModel={defaultModel} model={model} onChange={setModel} />
    </ChangeDialog>
  );
}
