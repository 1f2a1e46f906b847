<?php
/** A service of a Pando federation: notes of a person, for apps on that person's phone. README.md says how it is started. */
declare(strict_types=1);

namespace Pando;

require __DIR__ . '/src/Service.php';
require __DIR__ . '/PdoDatabase.php';

const SCOPE = 'org.example.notes';

/** Asks by HTTP, without following redirects; credentials go to the issuer and to nobody else. */
function get(string $url, array $headers): ?array
{
    $lines = array_map(fn ($name, $value) => "$name: $value", array_keys($headers), $headers);
    $context = stream_context_create(['http' => ['header' => $lines, 'timeout' => 5, 'follow_location' => 0, 'ignore_errors' => true]]);
    $body = @file_get_contents($url, false, $context, 0, 1 << 20);
    return $body === false ? null : [(int) explode(' ', $http_response_header[0])[1], $body];
}

$seconds = fn (string $name, int $default) => getenv($name) === false ? $default : (int) getenv($name);
$base = getenv('BASE');
umask(0077); // what it says of people is for nobody else on this machine
$database = new PdoDatabase(new \PDO('sqlite:' . (getenv('STATE') ?: 'notes.sqlite')));
$database->pdo->exec('create table if not exists note (person text not null, text text not null, at integer not null)');
$ledger = new Ledger($database, getenv('ISSUER'));
$federation = new Federation(getenv('ISSUER'), $base, getenv('CLIENT_ID'), getenv('CLIENT_SECRET'), $ledger, get(...));
$service = new Service('Notes', [SCOPE => "$base/notes"], $federation, $ledger, $seconds('ASK_AFTER', 90), $seconds('FAIL_CLOSED', 300));

if (PHP_SAPI === 'cli') { // before it listens: what ended while it was down
    try {
        $federation->catchUp();
    } catch (Refused $refused) {
        fwrite(STDERR, "not heard yet: {$refused->getMessage()}\n");
    }
    return;
}

function notes(Service $service, PdoDatabase $database, string $url): Answer
{
    $request = Request::current();
    $holder = $service->shown($request, $url, SCOPE);
    if ($request->method === 'POST') {
        $database->run('insert into note (person, text, at) values (?, ?, ?)', [$holder['person'], $request->wanted('text'), time()]);
    }
    $notes = array_column($database->rows('select text from note where person = ? order by rowid', [$holder['person']]), 'text');
    return Answer::json(['person' => $holder['person'], 'name' => json_decode($holder['claims'], true)['name'] ?? null, 'notes' => $notes]);
}

$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
$prefix = (string) parse_url($base, PHP_URL_PATH);
$endpoint = is_string($path) && str_starts_with($path, "$prefix/") ? substr($path, strlen($prefix) + 1) : '';
$page = '<!doctype html><title>Notes</title><link rel="ServiceAPI" href="' . htmlspecialchars("$base/rsd") . '"><p>Notes, for apps.';
try {
    $answer = match ($endpoint) {
        '' => new Answer(200, $page, ['Content-Type' => 'text/html; charset=utf-8', 'Link' => $service->link()]),
        'notes' => notes($service, $database, "$base/notes"),
        default => $service->answer($endpoint, Request::current()),
    };
} catch (Refused $refused) {
    $answer = Answer::refusal($refused);
}
$answer->send();
