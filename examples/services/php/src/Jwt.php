<?php
/** Compact JWTs (RFC 7519) over PHP's openssl: ES256 and RS256, no other algorithm. */
declare(strict_types=1);

namespace Pando;

/** What is wrong with a JWT, in words for its sender. */
final class Wrong extends \Exception {}

/** What is answered: status, `error` and `error_description`. */
final class Refused extends \Exception
{
    public function __construct(public readonly int $status, public readonly string $error, string $why, public readonly ?int $retryAfter = null)
    {
        parent::__construct($why);
    }

    public static function away(string $why): self
    {
        return new self(503, 'temporarily_unavailable', $why, 2);
    }
}

final class Jwt
{
    public const SKEW = 60;

    private function __construct(
        public readonly array $header, public readonly array $claims, private readonly string $signed, private readonly string $signature)
    {
    }

    /** Of which nothing is verified yet. */
    public static function open(string $text): self
    {
        $parts = explode('.', $text);
        if (count($parts) !== 3 || strlen($text) > 16384) {
            throw new Wrong('it is no JWT');
        }
        $header = self::object(self::decode($parts[0]));
        if (array_key_exists('crit', $header)) {
            throw new Wrong('it asks for what is not understood here');
        }
        return new self($header, self::object(self::decode($parts[1])), "$parts[0].$parts[1]", self::decode($parts[2]));
    }

    /** `$algorithms` is our list, and one must be of the key's kind. */
    public function verify(array $jwk, array $algorithms): void
    {
        $algorithm = $this->header['alg'] ?? null;
        if (!in_array($algorithm, $algorithms, true)) {
            throw new Wrong('alg is not taken');
        }
        $signature = $this->signature;
        if ($algorithm === 'ES256') {
            if (strlen($signature) !== 64) {
                throw new Wrong('the signature is wrong');
            }
            $signature = self::der(0x30, self::integer(substr($signature, 0, 32)) . self::integer(substr($signature, 32)));
        }
        if (@openssl_verify($this->signed, $signature, self::pem($jwk, $algorithm), OPENSSL_ALGO_SHA256) !== 1) {
            throw new Wrong('the signature is wrong');
        }
    }

    public function text(string ...$names): void
    {
        foreach ($names as $name) {
            if (!is_string($this->claims[$name] ?? null) || $this->claims[$name] === '') {
                throw new Wrong("$name is missing");
            }
        }
    }

    public function number(string $name): int|float
    {
        $value = $this->claims[$name] ?? null;
        return is_int($value) || is_float($value) ? $value : throw new Wrong("$name is no number");
    }

    public function checkTimes(int $longest): void
    {
        [$now, $made, $expires] = [time(), $this->number('iat'), $this->number('exp')];
        if ($made > $now + self::SKEW || $expires <= $now - self::SKEW) {
            throw new Wrong('it has expired, or was made in the future');
        }
        if ($expires - $made > $longest) {
            throw new Wrong("it lives for more than $longest seconds");
        }
        $this->checkBegun();
    }

    public function checkBegun(): void
    {
        if (array_key_exists('nbf', $this->claims) && $this->number('nbf') > time() + self::SKEW) {
            throw new Wrong('nbf has not come');
        }
    }

    /** The key of `cnf` (RFC 7800); null without `cnf`. One that is not understood would unbind what is issued. */
    public function confirmed(): ?array
    {
        if (!array_key_exists('cnf', $this->claims)) {
            return null;
        }
        $cnf = $this->claims['cnf'];
        if (!is_array($cnf) || !isset($cnf['jwk']) || array_diff(array_keys($cnf), ['jwk', 'jkt'])) {
            throw new Wrong('cnf must be cnf.jwk');
        }
        $key = self::appKey($cnf['jwk']);
        if (array_key_exists('jkt', $cnf) && $cnf['jkt'] !== self::thumbprint($key)) {
            throw new Wrong('cnf.jkt is not of cnf.jwk');
        }
        return $key;
    }

    // Keys

    /** A public P-256 key, as phones have it. */
    public static function appKey(mixed $jwk): array
    {
        if (!is_array($jwk) || ($jwk['kty'] ?? null) !== 'EC' || array_key_exists('d', $jwk)) {
            throw new Wrong('the key is no public P-256 key');
        }
        self::pem($jwk, 'ES256');
        return ['crv' => 'P-256', 'kty' => 'EC', 'x' => $jwk['x'], 'y' => $jwk['y']];
    }

    /** RFC 7638, of what `appKey` gave. */
    public static function thumbprint(array $key): string
    {
        return self::sha256(json_encode($key, JSON_UNESCAPED_SLASHES | JSON_THROW_ON_ERROR));
    }

    private static function pem(array $jwk, string $algorithm): \OpenSSLAsymmetricKey
    {
        $number = fn (string $name) => is_string($jwk[$name] ?? null) ? self::decode($jwk[$name]) : throw new Wrong('the key is incomplete');
        if ($algorithm === 'ES256' && ($jwk['kty'] ?? null) === 'EC' && ($jwk['crv'] ?? null) === 'P-256') {
            [$x, $y] = [$number('x'), $number('y')];
            if (strlen($x) !== 32 || strlen($y) !== 32) {
                throw new Wrong('the key is no P-256 key');
            }
            $der = hex2bin('3059301306072a8648ce3d020106082a8648ce3d030107034200') . "\x04$x$y";
        } elseif ($algorithm === 'RS256' && ($jwk['kty'] ?? null) === 'RSA') {
            $key = self::der(0x30, self::integer($number('n')) . self::integer($number('e')));
            $der = self::der(0x30, hex2bin('300d06092a864886f70d0101010500') . self::der(0x03, "\0$key"));
        } else {
            throw new Wrong('alg is not of the key');
        }
        $pem = "-----BEGIN PUBLIC KEY-----\n" . chunk_split(base64_encode($der), 64, "\n") . "-----END PUBLIC KEY-----\n";
        return @openssl_pkey_get_public($pem) ?: throw new Wrong('the key is none');
    }

    private static function der(int $tag, string $content): string
    {
        $length = strlen($content);
        $bytes = $length < 128 ? chr($length) : ($length < 256 ? "\x81" . chr($length) : "\x82" . pack('n', $length));
        return chr($tag) . $bytes . $content;
    }

    private static function integer(string $bytes): string
    {
        $bytes = ltrim($bytes, "\0");
        return self::der(0x02, $bytes === '' || ord($bytes[0]) > 127 ? "\0$bytes" : $bytes);
    }

    // Texts

    public static function sha256(string $text): string
    {
        return self::encode(hash('sha256', $text, true));
    }

    public static function encode(string $bytes): string
    {
        return rtrim(strtr(base64_encode($bytes), '+/', '-_'), '=');
    }

    private static function decode(string $text): string
    {
        $bytes = base64_decode(strtr($text, '-_', '+/'), true);
        if ($bytes === false || self::encode($bytes) !== $text) {
            throw new Wrong('it is no base64url');
        }
        return $bytes;
    }

    private static function object(string $json): array
    {
        $value = json_decode($json, true, 16);
        if (!is_array($value) || array_is_list($value)) {
            throw new Wrong('it is no JSON object');
        }
        return $value;
    }
}
