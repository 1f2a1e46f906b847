<?php
/** Which WordPress user a person of the federation is. */
declare(strict_types=1);

namespace Pando;

final class People
{
    public const META = 'pando_person';

    /** `$role` is that of users who are made here; empty where none are, and only those come who are known. */
    public function __construct(private readonly string $issuer, private readonly string $role, private readonly \wpdb $wpdb)
    {
    }

    /** `$person` is the `sub` of an assertion: a name that only this site gets. */
    public function user(string $person): ?int
    {
        $found = get_users(['meta_key' => self::META, 'meta_value' => $this->name($person), 'fields' => 'ID', 'number' => 1]);
        return $found ? (int) $found[0] : null;
    }

    /** Makes a user of who comes for the first time. An account that is there already is never taken over for its address. */
    public function enter(array $claims): void
    {
        if ($this->user($claims['sub']) !== null) {
            return;
        }
        if ($this->role === '') {
            throw new Refused(400, 'access_denied', 'nobody here knows this person');
        }
        // Two assertions at once make one user.
        $lock = 'pando ' . substr($this->name($claims['sub']), 0, 40);
        if ($this->wpdb->get_var($this->wpdb->prepare('select get_lock(%s, 10)', $lock)) !== '1') {
            throw Refused::away('the person is being entered; try again');
        }
        try {
            $this->user($claims['sub']) ?? $this->make($claims);
        } finally {
            $this->wpdb->query($this->wpdb->prepare('select release_lock(%s)', $lock));
        }
    }

    private function make(array $claims): void
    {
        // One that nobody has verified may be somebody else's.
        $email = ($claims['email_verified'] ?? null) === true && is_string($claims['email'] ?? null) && is_email($claims['email'])
            && !email_exists($claims['email']) ? $claims['email'] : '';
        $login = 'pando-' . substr($this->name($claims['sub']), 0, 20);
        $user = wp_insert_user([
            'user_login' => $login, 'user_pass' => wp_generate_password(40), 'user_email' => $email, 'role' => $this->role,
            'display_name' => is_string($claims['name'] ?? null) ? sanitize_text_field($claims['name']) : $login,
            'meta_input' => [self::META => $this->name($claims['sub'])]]);
        if (is_wp_error($user)) {
            throw new Refused(400, 'access_denied', 'the person cannot be entered here');
        }
    }

    private function name(string $person): string
    {
        return hash('sha256', "$this->issuer $person");
    }
}
