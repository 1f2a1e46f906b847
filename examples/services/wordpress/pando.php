<?php
/**
 * Plugin Name: Pando
 * Description: Makes this site a service of a Pando federation: its apps reach the REST API as their person.
 * Version: 0.1.0
 * Requires at least: 6.1
 * Requires PHP: 8.2
 * License: Apache-2.0
 * License URI: https://www.apache.org/licenses/LICENSE-2.0
 */
declare(strict_types=1);

namespace Pando;

defined('ABSPATH') || exit;

require_once __DIR__ . '/src/Service.php';
require_once __DIR__ . '/WordPressDatabase.php';
require_once __DIR__ . '/People.php';
require_once __DIR__ . '/Settings.php';

/** What tokens of apps are for: all that the REST API lets this person do. */
const SCOPE = 'org.wordpress.rest';

final class Plugin
{
    private static ?self $instance = null;
    public readonly Service $service;
    public readonly Federation $federation;
    public readonly Ledger $ledger;
    public readonly People $people;
    private ?Refused $refused = null;
    private bool $isByToken = false;

    private function __construct()
    {
        global $wpdb;
        $base = untrailingslashit(rest_url('pando/v1'));
        $this->ledger = new Ledger(new WordPressDatabase($wpdb), Settings::get('issuer'));
        $this->people = new People(Settings::get('issuer'), Settings::get('role'), $wpdb);
        $this->federation = new Federation(Settings::get('issuer'), $base, Settings::get('client_id'), Settings::get('client_secret'), $this->ledger, self::get(...));
        $this->service = new Service(get_bloginfo('name'), [SCOPE => untrailingslashit(rest_url())], $this->federation, $this->ledger,
            (int) Settings::get('ask_after'), (int) Settings::get('fail_closed'), $this->people->enter(...));
    }

    /** Of the first use: addresses are not known before `init`. */
    public static function it(): self
    {
        return self::$instance ??= new self();
    }

    private static function get(string $url, array $headers): ?array
    {
        $answer = wp_remote_get($url, ['headers' => $headers, 'timeout' => 5, 'redirection' => 0, 'limit_response_size' => 1 << 20]);
        return is_wp_error($answer) ? null : [(int) wp_remote_retrieve_response_code($answer), wp_remote_retrieve_body($answer)];
    }

    public function routes(): void
    {
        foreach (['rsd' => 'GET', 'token' => 'POST', 'revoke' => 'POST', 'introspect' => 'POST', 'events' => 'POST'] as $endpoint => $method) {
            $answer = function () use ($endpoint) {
                $this->service->answer($endpoint, Request::current())->send();
                exit;
            };
            register_rest_route('pando/v1', "/$endpoint", ['methods' => $method, 'callback' => $answer, 'permission_callback' => '__return_true']);
        }
    }

    /** The user of a request to the REST API that shows a token of ours. Other bearer tokens may be another plugin's. */
    public function user(int|false $user): int|false
    {
        // Paths have many spellings (/wp-json/../wp-admin/…), and `rest_route` of a query leads elsewhere than the path.
        if (isset($_GET['rest_route']) || isset($_POST['rest_route'])) {
            return $user;
        }
        $request = Request::current();
        [$scheme, $token] = explode(' ', $request->header('authorization') ?? '', 2) + [1 => ''];
        $scheme = strtolower($scheme);
        $url = preg_replace('~^(https?://[^/]+).*$~', '$1', home_url()) . strtok($_SERVER['REQUEST_URI'], '?');
        $isOurs = str_starts_with($url, rest_url('pando/v1'));
        if ($isOurs || !str_starts_with($url, rest_url()) || $scheme !== 'dpop' && ($scheme !== 'bearer' || !$this->ledger->living($token))) {
            return $user;
        }
        try {
            $family = $this->service->shown($request, $url, SCOPE);
            $this->isByToken = true;
            return $this->people->user($family['person']) ?? throw new Refused(401, 'invalid_token', 'the person is not known here any more');
        } catch (Refused $refused) {
            $this->refused = $refused;
            return false;
        }
    }

    /** Who came by a token makes nothing that outlives it: no password, no application password, no address to which one is sent, no user. */
    public function capabilities(array $needed, string $capability): array
    {
        // WordPress takes the method from either of these, whatever the request's own is.
        $isAsRequested = !isset($_GET['_method']) && !isset($_SERVER['HTTP_X_HTTP_METHOD_OVERRIDE']);
        if ($isAsRequested && in_array($_SERVER['REQUEST_METHOD'], ['GET', 'HEAD'], true)) {
            return $needed;
        }
        $isLasting = preg_match('/^(add|create|edit|promote|delete|remove)_users?$|_app_passwords?$/D', $capability);
        return $this->isByToken && $isLasting ? ['do_not_allow'] : $needed;
    }

    /** What `user` refused is answered; who was let in by a token needs no nonce of a page. */
    public function error(mixed $error): mixed
    {
        wp_get_current_user(); // asks `user`
        if ($this->refused === null) {
            return $error;
        }
        foreach (Answer::refusal($this->refused)->headers as $name => $value) {
            header("$name: $value");
        }
        return new \WP_Error($this->refused->error, $this->refused->getMessage(), ['status' => $this->refused->status]);
    }
}

register_activation_hook(__FILE__, function () {
    global $wpdb;
    (new WordPressDatabase($wpdb))->create();
    wp_next_scheduled('pando_catch_up') || wp_schedule_event(time(), 'hourly', 'pando_catch_up');
});
register_deactivation_hook(__FILE__, fn () => wp_clear_scheduled_hook('pando_catch_up'));

add_action('admin_init', Settings::register(...));
add_action('admin_menu', fn () => add_options_page('Pando', 'Pando', 'manage_options', 'pando', Settings::page(...)));

if (Settings::get('issuer') !== '') {
    add_action('rest_api_init', fn () => Plugin::it()->routes());
    // WordPress asks again when it knows that it serves the REST API; before, and for all else, nobody comes by a token.
    $isRest = fn () => defined('REST_REQUEST') && REST_REQUEST;
    add_filter('determine_current_user', fn ($user) => $isRest() ? Plugin::it()->user($user ? (int) $user : false) : $user, 30);
    add_filter('map_meta_cap', fn ($needed, $capability) => $isRest() ? Plugin::it()->capabilities($needed, $capability) : $needed, 10, 2);
    // What the federation ends has ended: nobody goes on by a password of this site that was sent to the address.
    add_filter('allow_password_reset', fn ($allow, $user) => get_user_meta($user, People::META, true) ? false : $allow, 10, 2);
    add_filter('rest_authentication_errors', fn ($error) => Plugin::it()->error($error), 5);
    // WordPress lets the pages of every origin ask with the person's cookies, whose nonce they lack; ours are asked by apps, without cookies.
    add_filter('rest_pre_serve_request', function ($served, $answer, $request) {
        if (str_starts_with($request->get_route(), '/pando/v1')) {
            array_map(header_remove(...), ['Access-Control-Allow-Origin', 'Access-Control-Allow-Credentials']);
        }
        return $served;
    }, 20, 3);
    add_action('send_headers', fn () => header('Link: ' . Plugin::it()->service->link(), false));
    add_action('wp_head', fn () => printf('<link rel="ServiceAPI" href="%s">' . "\n", esc_url(rest_url('pando/v1/rsd'))));
    add_action('pando_catch_up', function () {
        try {
            Plugin::it()->federation->catchUp();
        } catch (Refused) {
            // The next request asks again.
        }
    });
}
