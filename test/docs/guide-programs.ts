import { expect } from 'vitest';
import { scriptFor } from '../sdk/godot-project.ts';
import type { Godot } from '../sdk/godots.ts';
import { documents } from './documents.ts';

/** Where a guide's program plays. */
export interface GuideGame {
  url: string;
  gameId: string;
}

/** The whole program of a guide in each language: `client` and `other` are two players of the game. */
export const guidePrograms = {
  js: (page: string, { url, gameId }: GuideGame) => `import { connect } from 'gantry-client';
const client = await connect({ url: '${url}', game: '${gameId}' });
const other = await connect({ url: '${url}', game: '${gameId}' });
${examples(page, 'js', gameId)}
client.close();
other.close();
`,
  python: (page: string, { url, gameId }: GuideGame) => `import time, uuid
import gantry
client = gantry.connect("${url}", game="${gameId}")
other = gantry.connect("${url}", game="${gameId}")
${examples(page, 'python', gameId)}
client.close()
other.close()
`,
  csharp: (page: string, { url, gameId }: GuideGame) => `using System;
using System.Linq;
using System.Threading.Tasks;
using Gantry;

static class Debug
{
    public static void Log(object what) { Console.WriteLine(what); }
}

static class Program
{
    static void Main() { Play().Wait(); }

    static async Task Play()
    {
        var client = await GantryClient.ConnectAsync(new ConnectOptions { Url = "${url}", Game = "${gameId}" });
        var other = await GantryClient.ConnectAsync(new ConnectOptions { Url = "${url}", Game = "${gameId}" });
        ${examples(page, 'csharp', gameId)}
        client.Dispose();
        other.Dispose();
    }
}
`,
  gdscript(godot: Godot, page: string, { url, gameId }: GuideGame) {
    const blocks = examples(page, 'gdscript', gameId).split(/^(?=\S)/m);
    const isFunction = (block: string) => block.startsWith('func ');
    const statements = blocks.filter((block) => !isFunction(block)).join('');
    return scriptFor(
      godot,
      `extends Node
const GantryClient = preload("res://addons/gantry/gantry_client.gd")
func _ready():
	var client = GantryClient.new("${url}"); add_child(client)
	var other = GantryClient.new("${url}"); add_child(other)
	client.save_path = "user://${gameId}.json"
	other.save_path = "user://${gameId}-other.json"
	await client.start({"game": "${gameId}"}).completed
	await other.start({"game": "${gameId}"}).completed
${statements.replaceAll(/^(?=.)/gm, '\t')}
	print("the end")
${blocks.filter(isFunction).join('')}
`,
    );
  },
};

/** The examples of a page in a language, one after another, as a reader would put them into one program. */
function examples(page: string, language: string, gameId: string): string {
  const text = documents.get(`public/docs/${page}.md`) ?? '';
  const blocks = [...text.matchAll(/^```(\w+) guide\n(.*?)^```$/gms)];
  const own = blocks.flatMap(([, of, code = '']) => (of === language ? [code] : []));
  expect(own.length, `${page} in ${language}`).toBe(blocks.filter(([, of]) => of === 'js').length);
  expect(own.length, page).toBeGreaterThan(0);
  return own.join('\n').replaceAll('demo-game', gameId);
}
