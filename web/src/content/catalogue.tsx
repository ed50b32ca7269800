// The components of surfaces: CopilotKit's, but for those that would load a file from a host that the agent has chosen.

import { basicCatalog, Catalog, createReactComponent } from "@copilotkit/a2ui-renderer";

type Component = ReturnType<typeof createReactComponent>;

/** A raster image that is in the surface itself. */
const INLINE = /^data:image\/(png|jpeg|gif|webp|avif);base64,/i;

function linkFor(name: string, what: string): Component {
  const original = basicCatalog.components.get(name) as Component;
  return createReactComponent({ name, schema: original.schema }, ({ props }) => {
    const { url, description } = props as { url?: unknown; description?: unknown };
    const label = typeof description === "string" && description !== "" ? description : what;
    if (typeof url !== "string" || !/^(https?:|data:)/i.test(url)) return <span className="surface-file">{label}</span>;
    if (name === "Image" && INLINE.test(url)) return <img className="surface-file" src={url} alt={label} />;
    if (/^data:/i.test(url)) return <span className="surface-file">{label}</span>;
    return (
      <a className="surface-file" href={url} target="_blank" rel="noreferrer noopener">
        {label}
      </a>
    );
  }) as Component;
}

const replaced = new Map([linkFor("Image", "Image"), linkFor("Video", "Video"), linkFor("AudioPlayer", "Audio")].map((component) => [component.name, component]));

export const catalogue = new Catalog(
  basicCatalog.id,
  [...basicCatalog.components.values()].map((component) => replaced.get(component.name) ?? component),
  [...basicCatalog.functions.values()],
);
