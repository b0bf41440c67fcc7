import { html } from 'htm/preact';
import { useId } from 'preact/hooks';
import { Button } from '../../shared/button.js';
import { Dialog } from '../../shared/dialog.js';
import { minuteTime } from '../../shared/relative-time.js';
import { useAdmin } from '../admin.js';
import { draftKey, useFormDraft } from '../drafts.js';
import { CheckField, FormProblem, problemAt, SelectField, TextField } from '../fields.js';
import { MarkdownField } from './markdown-field.js';
import { localText, TimeField, timeOf } from './time-field.js';
import { useSubmit, useVersion } from './use-submit.js';

/** @typedef {import('./news.js').NewsItem} NewsItem */

/** @type {readonly (readonly [value: string, label: string])[]} */
const publicationChoices = [
  ['now', 'Now'],
  ['at', 'At a time'],
  ['draft', 'Keep as a draft'],
];
const fields = ['title', 'body', 'image', 'publishAt', 'expiresAt'];

/**
 * The form for a new item, or for changing one.
 * @param {{ gameId: string | undefined, item?: NewsItem, onClose: () => void }} props `gameId`:
 *   undefined for news of the installation; `onClose`: also without saving, as someone else may have changed the item
 */
export function NewsForm({ gameId, item, onClose }) {
  const admin = useAdmin();
  const publishedAt = item?.publishedAt ?? null;
  const planned = item?.publishAt ?? null;
  const { typed, edit, isChanged, close } = useFormDraft(
    draftKey(gameId ?? '', 'live-ops', `news ${item?.newsId ?? ''}`),
    {
      title: item?.title ?? '',
      body: item?.body ?? '',
      image: item?.image ?? '',
      pinned: item?.pinned ?? false,
      publication: item === undefined ? 'now' : planned === null ? 'draft' : 'at',
      publishAt: localText(planned),
      expiresAt: localText(item?.expiresAt ?? null),
      version: item?.version,
    },
    onClose,
  );
  const { title, body, image, pinned, publication, publishAt, expiresAt } = typed;
  const formId = useId();
  const changing = useVersion(typed.version);
  const { busy, error, submit } = useSubmit(async () => {
    const at = publication === 'draft' ? null : publication === 'now' ? 0 : timeOf(publishAt, planned);
    const input = {
      title,
      body,
      image: image.trim(),
      pinned,
      // The time of a published item cannot be changed.
      ...(publishedAt === null && { publishAt: at }),
      expiresAt: timeOf(expiresAt, item?.expiresAt ?? null),
    };
    const saved =
      item === undefined
        ? await admin.call('publishNews', { ...(gameId !== undefined && { gameId }), ...input })
        : await changing((ifVersion) =>
            admin.call('updateNews', { newsId: item.newsId, ifVersion, ...input }),
          );
    return { draft: 'Draft saved', scheduled: 'Scheduled', published: 'Published', expired: 'Saved' }[
      saved.item.status
    ];
  }, close);
  return html`
    <${Dialog}
      title=${item === undefined ? 'New news item' : `Edit ${item.title}`}
      stays=${isChanged}
      onClose=${close}
      actions=${html`<${Button} onClick=${close}>Cancel<//><${Button} kind="primary" type="submit" form=${formId} busy=${busy}>${publishedAt === null && publication === 'now' ? 'Publish' : 'Save'}<//>`}
    >
      <form id=${formId} class="form" onSubmit=${submit}>
        <${TextField} label="Title" required maxlength=${200} value=${title} onValue=${edit('title')} problem=${problemAt(error, 'title')} />
        <${MarkdownField} label="Text" value=${body} onValue=${edit('body')} problem=${problemAt(error, 'body')} />
        <${TextField} label="Image" inputmode="url" maxlength=${2000} value=${image} onValue=${edit('image')} problem=${problemAt(error, 'image')} hint="https://… or a path on this server. Optional." />
        ${
          publishedAt === null
            ? html`
                <div class="form-row">
                  <${SelectField} label="Publish" value=${publication} onValue=${edit('publication')} options=${publicationChoices} />
                  ${publication === 'at' && html`<${TimeField} label="Publish at" required value=${publishAt} onValue=${edit('publishAt')} problem=${problemAt(error, 'publishAt')} />`}
                </div>
              `
            : html`<p class="quiet">Published on ${minuteTime(publishedAt)}. Players who have read it are not told of changes.</p>`
        }
        <${TimeField} label="Expires at" value=${expiresAt} onValue=${edit('expiresAt')} problem=${problemAt(error, 'expiresAt')} hint="The item is no longer listed after this time. Empty: never." />
        <${CheckField} label="Pinned" checked=${pinned} onChecked=${edit('pinned')} hint="Listed before items that are not pinned." />
        <${FormProblem} error=${error} fields=${fields} />
      </form>
    <//>
  `;
}
