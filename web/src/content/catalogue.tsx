// The components of surfaces: CopilotKit's, but for those that would load a file from a host that the agent has chosen, and for buttons
// that would open one.

import { basicCatalog, Catalog, createReactComponent } from "@copilotkit/a2ui-renderer";
import { type ComponentProps, useState } from "react";
import { webPage } from "../webPage";
import { addressOf, functions } from "./functions";

type Component = ReturnType<typeof createReactComponent>;

const original = (name: string) => basicCatalog.components.get(name) as Component;

/** A raster image that is in the surface itself. */
const INLINE = /^data:image\/(png|jpeg|gif|webp|avif);base64,/i;

function linkFor(name: string, what: string): Component {
  return createReactComponent({ name, schema: original(name).schema }, ({ props }) => {
    const { url, description } = props as { url?: unknown; description?: unknown };
    const label = typeof description === "string" && description !== "" ? description : what;
    if (name === "Image" && typeof url === "string" && INLINE.test(url)) return <img className="surface-file" src={url} alt={label} />;
    const page = webPage(url);
    if (!page) return <span className="surface-file">{label}</span>;
    return (
      <a className="surface-file" href={page.href} target="_blank" rel="noreferrer noopener">
        {label} ({page.host})
      </a>
    );
  }) as Component;
}

const Press = original("Button").render;

/** A button. One that opens an address shows where it leads, and the person opens it. */
function Button(props: ComponentProps<typeof Press>) {
  const { componentModel, dataContext } = props.context;
  const [address, setAddress] = useState<unknown>();
  const wanted = addressOf(componentModel.properties["action"]);
  if (wanted === undefined) return <Press {...props} />;
  const page = webPage(address);
  const child: unknown = componentModel.properties["child"];
  return (
    <span className="surface-open">
      <button type="button" className="surface-button" onClick={() => setAddress(dataContext.resolveDynamicValue(wanted as never) ?? "")}>
        {typeof child === "string" ? props.buildChild(child) : "Open"}
      </button>
      {page && (
        <a href={page.href} title={page.href} target="_blank" rel="noreferrer noopener" data-testid="surface-address">
          Open {page.host}
        </a>
      )}
      {address !== undefined && !page && <span role="status">This address cannot be opened.</span>}
    </span>
  );
}

const replaced = new Map([
  ...[linkFor("Image", "Image"), linkFor("Video", "Video"), linkFor("AudioPlayer", "Audio")].map((component) => [component.name, component] as const),
  ["Button", { ...original("Button"), render: Button }] as const,
]);

export const catalogue = new Catalog(
  basicCatalog.id,
  [...basicCatalog.components.values()].map((component) => replaced.get(component.name) ?? component),
  functions,
);
