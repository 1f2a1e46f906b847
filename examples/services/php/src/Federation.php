<?php
/** What a service checks of what comes from the federation and from apps (docs/join-the-federation.md, 3 to 5). */
declare(strict_types=1);

namespace Pando;

final class Federation
{
    public const HEARTBEAT = 'urn:pando:event:heartbeat';
    private const ISSUER_ALGORITHMS = ['ES256', 'RS256'];
    private const MEMBERS = [
        'urn:pando:event:ended' => ['node' => 'is_string'],
        'urn:pando:event:moved' => ['node' => 'is_string', 'from' => 'is_string', 'to' => 'is_string'],
        'urn:pando:event:policy' => ['default' => 'is_string', 'allow' => 'is_array', 'deny' => 'is_array'],
        self::HEARTBEAT => ['seq' => 'is_int'],
    ];

    /** `$get(url, headers)` asks by HTTP, without following redirects: status and body; null where nobody answers. */
    public function __construct(
        public readonly string $issuer, public readonly string $base, private readonly string $clientId, private readonly string $clientSecret,
        private readonly Ledger $ledger, private readonly \Closure $get)
    {
    }

    /** Claims of an assertion, the key of the installation, and all from which it hangs: itself last, but for its signer. */
    public function assertion(string $text): array
    {
        try {
            [$jwt, $signer] = $this->signed($text, 'oauth-id-jag+jwt');
            if (($jwt->claims['aud'] ?? null) !== "$this->base/token") {
                throw new Wrong('it is for another service');
            }
            $jwt->checkTimes(300);
            $jwt->text('jti', 'sub', 'client_id');
            $lineage = $jwt->claims['lineage'] ?? null;
            if (!is_array($lineage) || !array_is_list($lineage) || $lineage === [] || count($lineage) > 64 || array_filter($lineage, is_string(...)) !== $lineage) {
                throw new Wrong('lineage is missing');
            }
            return [$jwt->claims, $jwt->confirmed() ?? throw new Wrong('cnf is missing'), [...$lineage, $signer]];
        } catch (Wrong $wrong) {
            throw new Refused(400, 'invalid_grant', "the assertion was refused: {$wrong->getMessage()}");
        }
    }

    /** Claims of a Security Event Token for this service. */
    public function event(string $text): array
    {
        try {
            [$jwt] = $this->signed($text, 'secevent+jwt');
            if (($jwt->claims['aud'] ?? null) !== $this->base) {
                throw new Wrong('it is for another service');
            }
            $jwt->text('jti');
            $jwt->number('iat');
            $events = $jwt->claims['events'] ?? null;
            if (!is_array($events) || $events === [] || array_filter($events, is_array(...)) !== $events) {
                throw new Wrong('events is missing');
            }
            foreach (array_intersect_key(self::MEMBERS, $events) as $name => $members) {
                foreach ($members as $member => $is) {
                    $is($events[$name][$member] ?? null) || throw new Wrong("$name has no $member");
                }
            }
            return $jwt->claims;
        } catch (Wrong $wrong) {
            throw new Refused(400, 'invalid_request', "the event was refused: {$wrong->getMessage()}");
        }
    }

    /** The number of an event; 0 for what is not counted, such as a heartbeat. */
    public static function sequence(array $claims): int
    {
        $numbers = array_filter(array_column(array_diff_key($claims['events'], [self::HEARTBEAT => 1]), 'seq'), is_int(...));
        return $numbers ? min($numbers) : 0;
    }

    /** The JWT and the node of the key that signed it: a key that was stolen ends, too. */
    private function signed(string $text, string $typ): array
    {
        $jwt = Jwt::open($text);
        $kid = $jwt->header['kid'] ?? null;
        if (($jwt->header['typ'] ?? null) !== $typ || ($jwt->claims['iss'] ?? null) !== $this->issuer || !is_string($kid)) {
            throw new Wrong("it is no $typ of $this->issuer");
        }
        $jwt->verify($this->key($kid), self::ISSUER_ALGORITHMS);
        if ($this->ledger->hasEnded(["signer:$kid"])) {
            throw new Wrong('it is signed by a key that was revoked');
        }
        return [$jwt, "signer:$kid"];
    }

    /** ISS/jwks.json, remembered for ten minutes; read again for a `kid` that is not in it, at most every ten seconds; every second until it was read. */
    private function key(string $kid): array
    {
        $known = $this->ledger->fact('keys', ['at' => 0, 'keys' => []]);
        $isDue = !isset($known['keys'][$kid]) || time() - $known['at'] > 600;
        $turn = $known['at'] === 0 ? time() : intdiv(time(), 10);
        if ($isDue && $this->ledger->claim("keys $this->issuer $turn", 20)) {
            $keys = $this->json("$this->issuer/jwks.json")['keys'] ?? null;
            if (is_array($keys)) {
                $known = ['at' => time(), 'keys' => array_column(array_filter($keys, is_array(...)), null, 'kid')];
                $this->ledger->note('keys', $known);
            }
        } elseif ($known['at'] === 0) { // another request reads them just now
            sleep(1);
            $known = $this->ledger->fact('keys', $known);
        }
        if (time() - $known['at'] > 86400) {
            throw Refused::away("the federation's keys cannot be read now");
        }
        return $known['keys'][$kid] ?? throw new Wrong('it is signed by no key of the federation');
    }

    private function json(string $url, array $headers = []): ?array
    {
        $answer = ($this->get)($url, $headers);
        $json = $answer && $answer[0] === 200 ? json_decode($answer[1], true) : null;
        return is_array($json) ? $json : null;
    }

    // What was missed (docs/events.md)

    /** Takes all that the federation has told so far, and notes as of when. */
    public function catchUp(): void
    {
        [$asked, $more, $position] = [time(), true, $this->ledger->fact('position', 0)];
        $basic = ['Authorization' => 'Basic ' . base64_encode(rawurlencode($this->clientId) . ':' . rawurlencode($this->clientSecret))];
        while ($more) {
            $page = $this->json("$this->issuer/events?after=$position&limit=100", $basic);
            if (!is_array($page['sets'] ?? null) || !is_int($page['latest'] ?? null)) {
                throw Refused::away('the federation cannot be asked for events now');
            }
            if ($page['latest'] < $position) { // it was put back to a backup: from the beginning
                $position = 0;
                $this->ledger->note('position', 0);
                continue;
            }
            try {
                $events = array_map(fn ($text) => $this->event((string) $text), array_values($page['sets']));
            } catch (Refused) {
                throw Refused::away('an event of the federation cannot be verified'); // what it would have ended is not known
            }
            usort($events, fn ($one, $other) => self::sequence($one) <=> self::sequence($other));
            array_walk($events, $this->ledger->take(...));
            $more = ($page['moreAvailable'] ?? false) === true && $events !== [];
            $position = $more ? self::sequence(end($events)) : $page['latest'];
            $this->ledger->reach($position);
        }
        $this->ledger->note('heard', $asked);
    }

    /** Takes an event that was pushed, and what came before it first. */
    public function take(array $claims): void
    {
        $heartbeat = $claims['events'][self::HEARTBEAT] ?? null;
        [$number, $position] = [self::sequence($claims), $this->ledger->fact('position', 0)];
        if ($heartbeat ? $heartbeat['seq'] > $position : $number > $position + 1) {
            $this->catchUp();
        }
        if (!$heartbeat) {
            $this->ledger->take($claims);
        }
        if ($heartbeat || $number) {
            $this->ledger->note('heard', max($this->ledger->fact('heard', 0), min($claims['iat'], time())));
        }
    }

    // What apps make

    /** Thumbprint of the key behind a DPoP proof (RFC 9449, 4.3). `$url` is the public one, never made of the Host header. */
    public function proof(string $text, string $method, string $url, ?string $token, int $status): string
    {
        try {
            $jwt = Jwt::open($text);
            if (($jwt->header['typ'] ?? null) !== 'dpop+jwt') {
                throw new Wrong('it is no dpop+jwt');
            }
            $key = Jwt::appKey($jwt->header['jwk'] ?? null);
            $jwt->verify($key, ['ES256']);
            $jwt->text('htm', 'htu', 'jti');
            if ($jwt->claims['htm'] !== $method || preg_split('/[?#]/', $jwt->claims['htu'])[0] !== $url) {
                throw new Wrong('it is for another request');
            }
            if (abs($jwt->number('iat') - time()) > Jwt::SKEW) {
                throw new Wrong('it was not made within the last minute');
            }
            $jwt->checkBegun();
            if ($token !== null && ($jwt->claims['ath'] ?? null) !== Jwt::sha256($token)) {
                throw new Wrong('it is for another token');
            }
            $thumbprint = Jwt::thumbprint($key);
            if (!$this->ledger->claim("dpop $thumbprint {$jwt->claims['jti']}", 3 * Jwt::SKEW)) {
                throw new Wrong('it was used before');
            }
            return $thumbprint;
        } catch (Wrong $wrong) {
            throw new Refused($status, 'invalid_dpop_proof', "the proof was refused: {$wrong->getMessage()}");
        }
    }

    /** The key of the app for which an installation asks; null where the app gets a bearer token. */
    public function appCode(string $text, string $instance, array $instanceKey, string $app): ?array
    {
        try {
            $jwt = Jwt::open($text);
            $typ = $jwt->header['typ'] ?? 'JWT';
            if (!is_string($typ) || strtolower($typ) !== 'jwt') {
                throw new Wrong('it is something else');
            }
            $jwt->verify($instanceKey, ['ES256']);
            if ([$jwt->claims['iss'] ?? null, $jwt->claims['sub'] ?? null, $jwt->claims['aud'] ?? null] !== [$instance, $app, "$this->base/token"]) {
                throw new Wrong('iss, sub or aud is another\'s');
            }
            $jwt->checkTimes(300);
            $jwt->text('jti');
            $key = $jwt->confirmed();
            if (!$this->ledger->claim('code ' . Jwt::thumbprint($instanceKey) . " {$jwt->claims['jti']}", 300 + 2 * Jwt::SKEW)) {
                throw new Wrong('it was used before');
            }
            return $key;
        } catch (Wrong $wrong) {
            throw new Refused(400, 'invalid_grant', "the code was refused: {$wrong->getMessage()}");
        }
    }
}
