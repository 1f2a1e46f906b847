<?php
/**
 * What a service writes down: what was used, what it issued and from what that hangs, and what has ended.
 *
 * A token lives while it has not expired and none of its ancestors has ended; that is looked up whenever it is shown, so
 * an end is one row, whatever hangs below. There are no transactions: each statement stands alone, races are settled by
 * primary keys, and a token is written last, when all that could end it is there.
 */
declare(strict_types=1);

namespace Pando;

/** `{name}` in SQL is a table of ours, `?` a value. */
interface Database
{
    /** False where the primary key is there already. */
    public function insertNew(string $table, array $row): bool;

    public function run(string $sql, array $values = []): void;

    /** @return list<array<string, mixed>> */
    public function rows(string $sql, array $values = []): array;
}

final class Ledger
{
    public const ACCESS_LIVES = 3600, REFRESH_LIVES = 30 * 86400;
    /** Keys are digests in hex, so that no collation confuses them. */
    public const TABLES = [
        'once' => 'mark char(64) not null primary key, expires bigint not null',
        'ended' => 'node char(64) not null primary key, expires bigint not null',
        'moved' => 'mark char(64) not null primary key, seq bigint not null, node char(64) not null, source char(64) not null, target char(64) not null',
        'family' => 'name char(64) not null primary key, person text not null, instance text not null, instancekey text not null, app text, scope text not null, '
            . 'jkt varchar(64), claims text not null, slot char(64), expires bigint not null',
        'ancestor' => 'mark char(64) not null primary key, family char(64) not null, node char(64) not null',
        'slot' => 'name char(64) not null primary key, family char(64) not null',
        'token' => 'hash char(64) not null primary key, family char(64) not null, kind varchar(10) not null, expires bigint not null',
        'fact' => 'name varchar(64) not null primary key, value mediumtext not null',
    ];
    public const INDICES = ['once' => ['expires'], 'ended' => ['expires'], 'family' => ['expires'], 'ancestor' => ['family', 'node'], 'token' => ['family', 'expires']];
    private const FOREVER = 9_999_999_999;

    /** `$issuer`: whose events these are. Keys, numbers and policy of another one, before a move, are not taken for its. */
    public function __construct(private readonly Database $db, private readonly string $issuer)
    {
    }

    // Facts

    public function fact(string $name, mixed $default): mixed
    {
        $row = $this->db->rows('select value from {fact} where name = ?', [$this->named($name)])[0] ?? null;
        return $row ? json_decode($row['value'], true) : $default;
    }

    public function note(string $name, mixed $value): void
    {
        $json = json_encode($value, JSON_THROW_ON_ERROR);
        if (!$this->db->insertNew('fact', ['name' => $this->named($name), 'value' => $json])) {
            $this->db->run('update {fact} set value = ? where name = ?', [$json, $this->named($name)]);
        }
    }

    private function named(string $fact): string
    {
        return "$fact " . substr(self::digest($this->issuer), 0, 32);
    }

    /** True the first time; it is forgotten after so many seconds. */
    public function claim(string $text, int $seconds): bool
    {
        return $this->db->insertNew('once', ['mark' => self::digest($text), 'expires' => time() + $seconds]);
    }

    public function hasEnded(array $nodes): bool
    {
        $marks = implode(', ', array_fill(0, count($nodes), '?'));
        return $this->db->rows("select node from {ended} where node in ($marks)", array_map(self::digest(...), $nodes)) !== [];
    }

    public function end(string $node): void
    {
        // Who stole a signing key dates assertions as he likes, so its end stays.
        $expires = str_starts_with($node, 'signer:') ? self::FOREVER : time() + 2 * self::REFRESH_LIVES;
        $this->db->insertNew('ended', ['node' => self::digest($node), 'expires' => $expires]);
    }

    // Tokens

    /** Tokens for an assertion, once. The second time all that came of it ends, and there are none. */
    public function redeem(array $claims, array $key, array $ancestors, string $scope): ?array
    {
        $this->forget();
        if (!$this->claim("assertion $claims[jti]", (int) $claims['exp'] - time() + 2 * Jwt::SKEW)) {
            $this->end($ancestors[count($ancestors) - 2]);
            return null;
        }
        $released = array_filter(array_intersect_key($claims, ['name' => 1, 'email' => 1]), is_string(...));
        return $this->issue([
            'person' => $claims['sub'], 'instance' => $claims['client_id'], 'instancekey' => json_encode($key), 'app' => null, 'scope' => $scope,
            'jkt' => Jwt::thumbprint($key), 'claims' => json_encode((object) $released), 'slot' => null], array_map(self::digest(...), $ancestors));
    }

    /** Tokens for another app, with the ancestors of the service token; they take the place of those it had for the same scopes. */
    public function authorize(array $parent, string $app, string $scope, ?array $key): array
    {
        $ancestors = array_column($this->db->rows('select node from {ancestor} where family = ?', [$parent['name']]), 'node');
        $slot = self::digest(json_encode([$parent['instance'], $parent['person'], $app, $scope]));
        $given = array_intersect_key($parent, ['person' => 1, 'instance' => 1, 'instancekey' => 1, 'claims' => 1]);
        return $this->issue($given + ['app' => $app, 'scope' => $scope, 'jkt' => $key ? Jwt::thumbprint($key) : null, 'slot' => $slot], $ancestors);
    }

    private function issue(array $family, array $ancestors): array
    {
        $family['name'] = bin2hex(random_bytes(32));
        $family['expires'] = time() + self::REFRESH_LIVES + 1;
        $this->db->insertNew('family', $family);
        // Itself among them: a refresh token that was used twice ends it, and all that was handed on from it.
        foreach (array_unique([...$ancestors, self::digest("family:$family[name]")]) as $node) {
            $this->db->insertNew('ancestor', ['mark' => self::digest("$family[name] $node"), 'family' => $family['name'], 'node' => $node]);
        }
        // The app may have been updated since the assertion was made, or just now: such an event sees our rows, or we see its.
        foreach ($this->db->rows('select m.node, m.source, m.target from {moved} m join {ancestor} a on a.node = m.node where a.family = ? order by m.seq', [$family['name']]) as $moved) {
            $this->move($family['name'], $moved['source'], $moved['target']);
        }
        if ($family['slot'] && !$this->db->insertNew('slot', ['name' => $family['slot'], 'family' => $family['name']])) {
            $this->db->run('update {slot} set family = ? where name = ?', [$family['name'], $family['slot']]);
        }
        return $this->tokens($family);
    }

    private function tokens(array $family): array
    {
        [$access, $refresh] = [Jwt::encode(random_bytes(32)), Jwt::encode(random_bytes(32))];
        foreach ([[$access, 'access', self::ACCESS_LIVES], [$refresh, 'refresh', self::REFRESH_LIVES]] as [$text, $kind, $lives]) {
            $this->db->insertNew('token', ['hash' => self::digest($text), 'family' => $family['name'], 'kind' => $kind, 'expires' => time() + $lives]);
        }
        return ['access_token' => $access, 'token_type' => $family['jkt'] === null ? 'Bearer' : 'DPoP', 'expires_in' => self::ACCESS_LIVES,
            'refresh_token' => $refresh, 'scope' => $family['scope']];
    }

    /** The family of a token that lives, with `kind`. */
    public function living(string $token): ?array
    {
        $family = $this->db->rows(
            'select f.name, f.person, f.instance, f.instancekey, f.app, f.scope, f.jkt, f.claims, t.kind from {token} t join {family} f on f.name = t.family '
            . 'where t.hash = ? and t.expires > ? '
            . 'and not exists (select 1 from {ancestor} a join {ended} e on e.node = a.node where a.family = f.name) '
            . 'and not exists (select 1 from {slot} s where s.name = f.slot and s.family <> f.name)', [self::digest($token), time()])[0] ?? null;
        return $family && $family['app'] !== null && !$this->takes($family['app']) ? null : $family;
    }

    /** A new pair; the second time all of it ends. */
    public function refresh(string $token, array $family): ?array
    {
        if (!$this->claim("refresh $token", self::REFRESH_LIVES)) {
            $this->endFamily($family['name']);
            return null;
        }
        $this->db->run('update {family} set expires = ? where name = ?', [time() + self::REFRESH_LIVES + 1, $family['name']]);
        return $this->tokens($family);
    }

    public function isUsed(string $token): bool
    {
        return $this->db->rows('select mark from {once} where mark = ?', [self::digest("refresh $token")]) !== [];
    }

    public function endFamily(string $name): void
    {
        $this->end("family:$name");
    }

    /** What concerns no living token any more. */
    private function forget(): void
    {
        $now = time();
        $this->db->run('delete from {once} where expires < ?', [$now]);
        $this->db->run('delete from {token} where expires < ?', [$now]);
        $this->db->run('delete from {ancestor} where family in (select name from {family} where expires < ?)', [$now]);
        $this->db->run('delete from {family} where expires < ?', [$now]);
        $this->db->run('delete from {ended} where expires < ?', [$now]);
    }

    // Events

    /** Whether the service takes an app, as the federation keeps it for us. */
    public function takes(string $app): bool
    {
        $policy = $this->fact('policy', ['default' => 'open', 'allow' => [], 'deny' => []]);
        return !in_array($app, $policy['deny'], true) && ($policy['default'] === 'open' || in_array($app, $policy['allow'], true));
    }

    /** Writes down what an event says. Twice is harmless; durable when this returns. */
    public function take(array $claims): void
    {
        if (!$this->db->rows('select mark from {once} where mark = ?', [self::digest("event $claims[jti]")])) {
            foreach ($claims['events'] as $name => $body) {
                match ($name) {
                    'urn:pando:event:ended' => $this->end($body['node']),
                    'urn:pando:event:moved' => $this->moved($body),
                    'urn:pando:event:policy' => $this->policy($body),
                    // A name that is not known says nothing: it is taken, or the next one will not come.
                    default => null,
                };
            }
            $this->claim("event $claims[jti]", 60 * 86400);
        }
        $this->reach(Federation::sequence($claims));
    }

    private function moved(array $body): void
    {
        [$node, $source, $target] = array_map(self::digest(...), [$body['node'], $body['from'], $body['to']]);
        $this->db->insertNew('moved', ['mark' => self::digest("$node $source $target"), 'seq' => $body['seq'] ?? 0, 'node' => $node, 'source' => $source, 'target' => $target]);
        foreach ($this->db->rows('select family from {ancestor} where node = ?', [$node]) as $row) {
            $this->move($row['family'], $source, $target);
        }
    }

    private function move(string $family, string $source, string $target): void
    {
        $this->db->run('update {ancestor} set node = ? where family = ? and node = ?', [$target, $family, $source]);
    }

    private function policy(array $policy): void
    {
        $this->note('policy', array_intersect_key($policy, ['default' => 1, 'allow' => 1, 'deny' => 1]));
        // Ended now, so that they stay so when the app is taken again.
        foreach ($this->db->rows('select name, app from {family} where app is not null') as $family) {
            if (!$this->takes($family['app'])) {
                $this->endFamily($family['name']);
            }
        }
    }

    /** All events up to this number were taken. */
    public function reach(int $number): void
    {
        if ($number > $this->fact('position', 0)) {
            $this->note('position', $number);
        }
    }

    private static function digest(string $text): string
    {
        return hash('sha256', $text);
    }
}
