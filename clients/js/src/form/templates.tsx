// The parts around the controls: names, descriptions, problems, groups, lists and their buttons.

import type {
  ArrayFieldItemTemplateProps,
  ArrayFieldTemplateProps,
  FieldTemplateProps,
  MultiSchemaFieldTemplateProps,
  ObjectFieldTemplateProps,
} from "@rjsf/utils";
import { ADDITIONAL_PROPERTY_FLAG } from "@rjsf/utils";
import type { FocusEvent } from "react";
import { pointerOf, said } from "./context.ts";
import { ALTERNATIVE, TAG } from "./shown.ts";
import { visible } from "./visible.ts";

/** One part of the form with its name, description and problem. Lists and objects name themselves. */
function Field({ id, label, children, rawDescription, hidden, required, disabled, displayLabel, schema, fieldPathId, registry, onKeyRenameBlur, onRemoveProperty }: FieldTemplateProps) {
  if (hidden || TAG in schema) return null;
  const path = pointerOf(fieldPathId.path);
  const { texts, leave } = said(registry);
  const alternative = ALTERNATIVE in schema; // the field it is the alternative of has its name and problem
  const problem = alternative ? undefined : texts[path];
  const extra = ADDITIONAL_PROPERTY_FLAG in schema;
  const group = schema.type === "object" || (schema.type === "array" && !displayLabel);
  const left = (event: FocusEvent) => {
    if (!event.currentTarget.contains(event.relatedTarget)) leave(path);
  };
  return (
    <div className="schema-field" data-path={path} onBlur={left}>
      {extra && (
        <div className="schema-key">
          <label htmlFor={`${id}-key`}>Name</label>
          <input id={`${id}-key`} className="field" defaultValue={label} disabled={disabled} onBlur={onKeyRenameBlur} key={label} />
          <button type="button" className="button" disabled={disabled} aria-label={`Remove ${label}`} onClick={onRemoveProperty}>
            Remove
          </button>
        </div>
      )}
      {displayLabel && !group && !alternative && (
        <label htmlFor={controlOf(id, schema)}>
          {extra ? "Value" : itemName(fieldPathId.path, label)}
          {mayBeLeft(fieldPathId.path, required, schema) && !extra && <span className="muted"> (optional)</span>}
        </label>
      )}
      {children}
      {rawDescription && !group && (
        <p className="muted" id={`${id}-about`}>
          {visible(rawDescription, { lines: true })}
        </p>
      )}
      {problem && (
        <p className="problem" id={`${id}-problem`} role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

/** Whether a part may be left empty. The whole is not required by anything, but is the answer. */
function mayBeLeft(path: readonly unknown[], required: boolean | undefined, schema: FieldTemplateProps["schema"]): boolean {
  return path.length > 0 ? !required : schema.default === "";
}

/** The id of the control that a name is of: where there are alternatives, the one that chooses between them. */
function controlOf(id: string, { type, anyOf, oneOf }: FieldTemplateProps["schema"]): string {
  return type === undefined && (anyOf || oneOf) ? `${id}__${oneOf ? "oneof" : "anyof"}_select` : id;
}

/** An item without a name is named by its place in the list. */
function itemName(path: readonly (string | number)[], name: string): string {
  const last = path.at(-1);
  return typeof last === "number" ? `Item ${last + 1}` : visible(name);
}

/** The members of an object: in a group with a name, but for the whole form's. */
function ObjectGroup({ title, description, properties, required, disabled, schema, fieldPathId, onAddProperty }: ObjectFieldTemplateProps) {
  const members = (
    <>
      {properties.map(({ content }) => content)}
      {schema.additionalProperties && (
        <button type="button" className="button" disabled={disabled} onClick={onAddProperty}>
          Add a member
        </button>
      )}
    </>
  );
  if (fieldPathId.path.length === 0 || ALTERNATIVE in schema) return <div className="schema-members">{members}</div>;
  return (
    <fieldset className="schema-group" id={fieldPathId.$id}>
      <legend>
        {itemName(fieldPathId.path, title)}
        {!required && <span className="muted"> (optional)</span>}
      </legend>
      {description && <p className="muted">{visible(String(description), { lines: true })}</p>}
      {members}
    </fieldset>
  );
}

/** A list with what can be done to it. */
function List({ title, items, canAdd, required, disabled, schema, fieldPathId, onAddClick }: ArrayFieldTemplateProps) {
  return (
    <fieldset className="schema-group" id={fieldPathId.$id}>
      <legend>
        {visible(title)}
        {!required && <span className="muted"> (optional)</span>}
      </legend>
      {schema.description && <p className="muted">{visible(schema.description, { lines: true })}</p>}
      {items.length > 0 && <ol className="schema-items">{items}</ol>}
      {canAdd && (
        <button type="button" className="button" disabled={disabled} aria-label={`Add to ${title}`} onClick={onAddClick}>
          Add
        </button>
      )}
    </fieldset>
  );
}

/** An item of a list, with the buttons that move and remove it. */
function Item({ children, buttonsProps: { hasMoveUp, hasMoveDown, hasRemove, onMoveUpItem, onMoveDownItem, onRemoveItem }, hasToolbar, index, disabled }: ArrayFieldItemTemplateProps) {
  const button = (name: string, sign: string, able: boolean, act: () => void) => (
    <button type="button" className="button" disabled={disabled || !able} aria-label={`${name} item ${index + 1}`} title={name} onClick={act}>
      {sign}
    </button>
  );
  return (
    <li className="schema-item">
      <div>{children}</div>
      {hasToolbar && (
        <div className="schema-tools">
          {(hasMoveUp || hasMoveDown) && button("Move up", "↑", hasMoveUp, onMoveUpItem)}
          {(hasMoveUp || hasMoveDown) && button("Move down", "↓", hasMoveDown, onMoveDownItem)}
          {hasRemove && button("Remove", "✕", true, onRemoveItem)}
        </div>
      )}
    </li>
  );
}

/** Which of several kinds of value it is to be, and the fields of that one. */
function Alternatives({ selector, optionSchemaField }: MultiSchemaFieldTemplateProps) {
  return (
    <div className="schema-alternatives">
      {selector}
      {optionSchemaField}
    </div>
  );
}

const Nothing = () => null;

export const templates = {
  FieldTemplate: Field,
  ObjectFieldTemplate: ObjectGroup,
  ArrayFieldTemplate: List,
  ArrayFieldItemTemplate: Item,
  MultiSchemaFieldTemplate: Alternatives,
  DescriptionFieldTemplate: Nothing, // the field has said it
  FieldErrorTemplate: Nothing,
  FieldHelpTemplate: Nothing,
  ErrorListTemplate: Nothing,
};
