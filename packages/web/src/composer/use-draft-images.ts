import { useEffect, useRef, useState } from "react";
import { type DraftImage, MAX_IMAGES, sortImages } from "./prompt-images.ts";

let lastId = 0;

/** The images of a prompt that is being written. */
export function useDraftImages() {
  const [images, setImages] = useState<readonly DraftImage[]>([]);
  const [refused, setRefused] = useState<string>();
  const shown = useRef(images);
  shown.current = images;
  useEffect(() => () => release(shown.current), []);
  const add = (files: readonly File[]): void => {
    const { taken, refused: reason } = sortImages(files, MAX_IMAGES - images.length);
    setRefused(reason);
    const added = taken.map((file) => ({ id: ++lastId, name: file.name, file, url: URL.createObjectURL(file) }));
    setImages([...images, ...added]);
  };
  const remove = (id: number): void => {
    release(images.filter((image) => image.id === id));
    setImages(images.filter((image) => image.id !== id));
  };
  const clear = (): void => {
    release(images);
    setImages([]);
    setRefused(undefined);
  };
  return { images, refused, add, remove, clear };
}

function release(images: readonly DraftImage[]): void {
  for (const { url } of images) URL.revokeObjectURL(url);
}
