import { X } from "lucide-react";
import type { DraftImage } from "./prompt-images.ts";

interface PromptThumbnailsProps {
  readonly images: readonly DraftImage[];
  readonly onRemove: (id: number) => void;
}

export function PromptThumbnails({ images, onRemove }: PromptThumbnailsProps) {
  if (images.length === 0) return null;
  return (
    <ul aria-label="Images" className="flex flex-wrap gap-2 px-3 pt-3">
      {images.map(({ id, name, url }) => (
        <li key={id} className="relative">
          <img src={url} alt={name} className="size-16 rounded border border-line object-cover" />
          <button
            type="button"
            aria-label={`Remove ${name}`}
            onClick={() => onRemove(id)}
            className="absolute -top-2 -right-2 inline-flex size-6 cursor-pointer items-center justify-center rounded-full border border-line bg-raised text-soft after:absolute after:-inset-2.5 hover:text-ink"
          >
            <X aria-hidden="true" size={12} />
          </button>
        </li>
      ))}
    </ul>
  );
}
