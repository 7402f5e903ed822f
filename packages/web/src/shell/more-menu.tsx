import { EllipsisVertical } from "lucide-react";
import { Menu } from "../parts/menu.tsx";
import { useMoreActions } from "./use-more-actions.tsx";

/** What is needed seldom, behind one button. */
export function MoreMenu() {
  const items = useMoreActions();
  return <Menu icon={<EllipsisVertical aria-hidden="true" size={16} />} items={items} label="More" />;
}
