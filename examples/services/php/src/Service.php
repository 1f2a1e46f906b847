<?php
/** What a service of the federation answers, whatever web framework asks it: `answer` for its own endpoints, `shown` for yours. */
declare(strict_types=1);

namespace Pando;

require_once __DIR__ . '/Jwt.php';
require_once __DIR__ . '/Ledger.php';
require_once __DIR__ . '/Federation.php';

final class Request
{
    /** `$headers` by their names in lower case; `$body` as it came. */
    public function __construct(public readonly string $method, public readonly array $headers = [], public readonly string $body = '')
    {
    }

    /** Of PHP itself. */
    public static function current(): self
    {
        $given = ['accept' => 'HTTP_ACCEPT', 'authorization' => 'HTTP_AUTHORIZATION', 'dpop' => 'HTTP_DPOP', 'content-type' => 'CONTENT_TYPE'];
        $headers = array_filter(array_map(fn ($name) => $_SERVER[$name] ?? null, $given), is_string(...));
        return new self($_SERVER['REQUEST_METHOD'], $headers, (string) file_get_contents('php://input', false, null, 0, Service::LONGEST + 1));
    }

    public function header(string $name): ?string
    {
        return $this->headers[$name] ?? null;
    }

    /** Those of a form (RFC 6749, 3.2): none twice. */
    public function members(): array
    {
        if (strlen($this->body) > Service::LONGEST) {
            throw new Refused(413, 'invalid_request', 'the body is too long');
        }
        $members = [];
        foreach (array_filter(explode('&', $this->body), strlen(...)) as $pair) {
            [$name, $value] = array_map(urldecode(...), explode('=', $pair, 2)) + [1 => ''];
            if (array_key_exists($name, $members) || !preg_match('/^[^\x00]*$/uD', $value)) {
                throw new Refused(400, 'invalid_request', 'a parameter stands there twice, or is no text');
            }
            $members[$name] = $value;
        }
        return $members;
    }

    public function wanted(string $name): string
    {
        $value = $this->members()[$name] ?? '';
        return $value !== '' ? $value : throw new Refused(400, 'invalid_request', "$name is missing");
    }
}

final class Answer
{
    public function __construct(public readonly int $status, public readonly string $body = '', public readonly array $headers = [])
    {
    }

    public static function json(array $value, int $status = 200, array $headers = []): self
    {
        return new self($status, json_encode($value, JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE), $headers + ['Content-Type' => 'application/json', 'Cache-Control' => 'no-store']);
    }

    /** RFC 6749, 5.2; RFC 6750, 3; RFC 9449, 7.1. */
    public static function refusal(Refused $refused): self
    {
        $headers = $refused->status === 401 ? ['WWW-Authenticate' => "DPoP error=\"$refused->error\", algs=\"ES256\""] : [];
        $headers += $refused->retryAfter ? ['Retry-After' => (string) $refused->retryAfter] : [];
        return self::json(['error' => $refused->error, 'error_description' => $refused->getMessage()], $refused->status, $headers);
    }

    public function send(): void
    {
        http_response_code($this->status);
        foreach ($this->headers as $name => $value) {
            header("$name: $value");
        }
        echo $this->body;
    }
}

final class Service
{
    public const LONGEST = 65536;

    /**
     * `$protocols`: link of each protocol that apps may ask for, by its name. `$askAfter`, `$failClosed`: seconds without an
     * event after which the federation is asked, and without an answer after which no token is taken. `$enter(claims)` is
     * called before a person's assertion is redeemed, and may refuse.
     */
    public function __construct(
        private readonly string $name, private readonly array $protocols, private readonly Federation $federation, private readonly Ledger $ledger,
        private readonly int $askAfter = 90, private readonly int $failClosed = 300, private readonly ?\Closure $enter = null)
    {
    }

    /** One of the service's own endpoints: rsd, token, revoke, introspect, events. */
    public function answer(string $endpoint, Request $request): Answer
    {
        try {
            return match ("$request->method $endpoint") {
                'GET rsd' => $this->document($request),
                'POST token' => Answer::json($this->token($request)),
                'POST revoke' => $this->revoke($request),
                'POST introspect' => $this->introspect($request),
                'POST events' => $this->events($request),
                default => throw new Refused(404, 'invalid_request', 'there is nothing here'),
            };
        } catch (Refused $refused) {
            return Answer::refusal($refused);
        }
    }

    /** For the header `Link` of the home page. */
    public function link(): string
    {
        return "<{$this->federation->base}/rsd>; rel=\"ServiceAPI\"; type=\"application/x-rsd+json\"";
    }

    // What apps find

    private function document(Request $request): Answer
    {
        $headers = ['Cache-Control' => 'public, max-age=300', 'Vary' => 'Accept', 'Access-Control-Allow-Origin' => '*'];
        $base = $this->federation->base;
        $links = ['org.ietf.oauth2' => [$base, '2.0']] + array_map(fn ($link) => [$link, '1.0'], $this->protocols);
        if (!str_contains($request->header('accept') ?? '', 'xml') || str_contains($request->header('accept') ?? '', 'json')) {
            $apis = array_map(fn ($api) => ['apiLink' => $api[0], 'apiVersion' => $api[1], 'transport' => ['REST']], $links);
            return Answer::json(['engineName' => $this->name, 'engineLink' => $base, 'homePageLink' => $base, 'apis' => $apis], 200, $headers + ['Content-Type' => 'application/x-rsd+json']);
        }
        $text = fn (string $text) => htmlspecialchars($text, ENT_XML1 | ENT_QUOTES);
        $xml = '<?xml version="1.0" encoding="UTF-8"?><rsd version="2.0" xmlns="http://github.com/rsd-spec/rsd"><service>'
            . "<engineName>{$text($this->name)}</engineName><engineLink>{$text($base)}</engineLink><homePageLink>{$text($base)}</homePageLink><apis>";
        foreach ($links as $name => [$link, $version]) {
            $xml .= "<api name=\"{$text($name)}\"><apiVersion>$version</apiVersion><apiLink>{$text($link)}</apiLink><transport>REST</transport></api>";
        }
        return new Answer(200, "$xml</apis></service></rsd>", $headers + ['Content-Type' => 'application/x-rsd+xml']);
    }

    // What apps get

    private function token(Request $request): array
    {
        return match ($request->members()['grant_type'] ?? '') {
            'urn:ietf:params:oauth:grant-type:jwt-bearer' => $this->redeem($request),
            'authorization_code' => $this->authorize($request),
            'refresh_token' => $this->refresh($request),
            default => throw new Refused(400, 'unsupported_grant_type', 'grant_type is jwt-bearer, authorization_code or refresh_token'),
        };
    }

    /** An assertion of the federation becomes a token that is good for asking here for tokens of apps. */
    private function redeem(Request $request): array
    {
        [$claims, $key, $ancestors] = $this->federation->assertion($request->wanted('assertion'));
        if (!in_array($this->proof($request, 'token'), [null, Jwt::thumbprint($key)], true)) {
            throw new Refused(400, 'invalid_dpop_proof', 'the proof is not by the key of the assertion');
        }
        if ($this->ledger->hasEnded($ancestors)) {
            throw new Refused(400, 'invalid_grant', 'the assertion was refused: it was revoked');
        }
        $this->enter && ($this->enter)($claims);
        return $this->ledger->redeem($claims, $key, $ancestors, "{$this->federation->base}/token")
            ?? throw new Refused(400, 'invalid_grant', 'the assertion was refused: it was used before, and all that came of it has ended');
    }

    /** The phone's app hands a token to another app on the same phone. */
    private function authorize(Request $request): array
    {
        $holder = $this->shown($request, "{$this->federation->base}/token");
        if ($holder['app'] !== null) {
            throw new Refused(401, 'invalid_token', 'only the token of an assertion hands out tokens for apps');
        }
        [$app, $code] = [$request->wanted('client_id'), $request->wanted('code')];
        $scopes = array_unique(preg_split('/ +/', $request->members()['scope'] ?? '', -1, PREG_SPLIT_NO_EMPTY));
        sort($scopes);
        if ($scopes === [] || array_diff($scopes, array_keys($this->protocols))) {
            throw new Refused(400, 'invalid_scope', 'scope names ' . implode(' ', array_keys($this->protocols)));
        }
        if (!preg_match('/^[\x21-\x7e]{1,255}$/D', $app)) {
            throw new Refused(400, 'invalid_grant', 'client_id is no bundle id');
        }
        $key = $this->federation->appCode($code, $holder['instance'], json_decode($holder['instancekey'], true), $app);
        if (!$this->ledger->takes($app)) {
            throw new Refused(400, 'access_denied', 'this service does not take this app');
        }
        return $this->ledger->authorize($holder, $app, implode(' ', $scopes), $key);
    }

    private function refresh(Request $request): array
    {
        $token = $request->wanted('refresh_token');
        $family = $this->ledger->living($token);
        // A wrong key neither uses it nor ends anything.
        if (!$family || $family['kind'] !== 'refresh' || $this->proof($request, 'token') !== $family['jkt']) {
            throw new Refused(400, 'invalid_grant', 'the refresh token is dead, or another\'s');
        }
        return $this->ledger->refresh($token, $family)
            ?? throw new Refused(400, 'invalid_grant', 'the refresh token was used before, and all that came of it has ended');
    }

    /** RFC 7009, by who holds the token, and its key where it has one. It ends with its family and what was handed on from it. */
    private function revoke(Request $request): Answer
    {
        $family = $this->ledger->living($request->wanted('token'));
        if ($family && $this->proof($request, 'revoke') === $family['jkt']) {
            $this->ledger->endFamily($family['name']);
        }
        return new Answer(200, '', ['Cache-Control' => 'no-store']);
    }

    /** RFC 7662, for who shows a living token: it is told of its own and of those for the same person and phone. */
    private function introspect(Request $request): Answer
    {
        $holder = $this->shown($request, "{$this->federation->base}/introspect");
        $token = $request->wanted('token');
        $family = $this->ledger->living($token);
        if (!$family || [$family['person'], $family['instance']] !== [$holder['person'], $holder['instance']] || $this->ledger->isUsed($token)) {
            return Answer::json(['active' => false]);
        }
        $told = ['active' => true, 'iss' => $this->federation->base, 'sub' => $family['person'], 'client_id' => $family['app'] ?? $family['instance'],
            'scope' => $family['scope'], 'token_type' => $family['jkt'] === null ? 'Bearer' : 'DPoP'];
        return Answer::json($told + ($family['jkt'] === null ? [] : ['cnf' => ['jkt' => $family['jkt']]]));
    }

    // What the federation tells

    /** RFC 8935. What cannot be taken now is sent again. */
    private function events(Request $request): Answer
    {
        try {
            if (strtolower(trim(explode(';', $request->header('content-type') ?? '')[0])) !== 'application/secevent+jwt') {
                throw new Refused(400, 'invalid_request', 'send application/secevent+jwt');
            }
            $this->federation->take($this->federation->event(trim($request->body)));
            return new Answer(202);
        } catch (Refused $refused) {
            return Answer::json(['err' => $refused->error, 'description' => $refused->getMessage()], $refused->status);
        }
    }

    /** No token is taken on the word of a federation that was not heard for long. */
    private function hear(): void
    {
        if (time() - $this->ledger->fact('heard', 0) > $this->askAfter && $this->ledger->claim('ask ' . time(), 5)) {
            try {
                $this->federation->catchUp();
            } catch (Refused) {
                // That it is away is no harm yet.
            }
        }
        if (time() - $this->ledger->fact('heard', 0) > $this->failClosed) {
            throw Refused::away('what has ended is not known now');
        }
    }

    // Who asks

    /** The family of the access token that a request shows. One that is bound to a key comes with a proof by it, for this URL. */
    public function shown(Request $request, string $url, ?string $scope = null): array
    {
        [$scheme, $token] = explode(' ', $request->header('authorization') ?? '', 2) + [1 => ''];
        if ($token === '') { // nothing has to be known to say that
            throw new Refused(401, 'invalid_token', 'no token came with the request');
        }
        $this->hear();
        $family = $this->ledger->living($token);
        if (!$family || $family['kind'] !== 'access') {
            throw new Refused(401, 'invalid_token', 'the token is dead, or none of this service');
        }
        if (strtolower($scheme) !== ($family['jkt'] === null ? 'bearer' : 'dpop')) {
            throw new Refused(401, 'invalid_token', 'a bound token comes as DPoP, another as Bearer');
        }
        if ($family['jkt'] !== null) {
            $proof = $request->header('dpop') ?? '';
            if ($this->federation->proof($proof, $request->method, $url, $token, 401) !== $family['jkt']) {
                throw new Refused(401, 'invalid_dpop_proof', 'the proof is not by the key of the token');
            }
        }
        if ($scope !== null && !in_array($scope, explode(' ', $family['scope']), true)) {
            throw new Refused(403, 'insufficient_scope', "the token is not for $scope");
        }
        return $family;
    }

    private function proof(Request $request, string $endpoint): ?string
    {
        $proof = $request->header('dpop');
        return $proof === null ? null : $this->federation->proof($proof, $request->method, "{$this->federation->base}/$endpoint", null, 400);
    }
}
