//! The rules' refusals, one row a test: a payload that the book allows, and one change that it does not.

use venues::book_value::AnyOr;
use venues::evm::decode;
use venues::evm::rules::{Limits, Ratio, Router, SwapLimits};
use venues::{AccountNonce, Address, Charge, Grants, Payload, U256};
use wire::{Refusal, Shown, Why};

use crate::book::{
    BOOK, DAI, FRIEND, NOW, NOW_S, OWN, OWNER, RICH_FRIEND, ROUTER, ROUTER_02, SPENDER, STRANGER, TWO, USDC,
    WETH, ZERO, swaps, u,
};
use crate::draft::{Draft, GWEI, access_entry, word};
use crate::witness::Witness as _;

pub(crate) fn judge_by(limits: &Limits<'_>, draft: &Draft) -> Result<Charge, Why> {
    decode(&draft.encode()).unwrap().judge(limits, &OWN, NOW).witnessed()
}

/// Whether the book allows it. For random drafts, whose refusals are another each time and not noted.
pub(crate) fn allows(draft: &Draft) -> bool {
    decode(&draft.encode()).unwrap().judge(&BOOK, &OWN, NOW).is_ok()
}

pub(crate) fn judge(draft: &Draft) -> Result<(), Why> {
    judge_by(&BOOK, draft).map(drop)
}

fn native(recipient: Address, value: u64) -> Draft {
    Draft { value: u(value), ..Draft::to(recipient) }
}

fn transfer(token: Address, recipient: Address, amount: u64) -> Draft {
    Draft::call(token, 0xa905_9cbb, &[word(recipient), u(amount)])
}

fn approve(token: Address, spender: Address, amount: u64) -> Draft {
    Draft::call(token, 0x095e_a7b3, &[word(spender), u(amount)])
}

fn transfer_from(token: Address, owner: Address, recipient: Address, amount: u64) -> Draft {
    Draft::call(token, 0x23b8_72dd, &[word(owner), word(recipient), u(amount)])
}

#[derive(Clone)]
pub(crate) struct Swap {
    pair: [Address; 2],
    fee: u64,
    recipient: Address,
    deadline: U256,
    amount_in: U256,
    amount_out_min: U256,
    price_limit: U256,
}

const SWAP: Swap = Swap {
    pair: [USDC, WETH],
    fee: 500,
    recipient: OWN,
    deadline: u(NOW_S + 60),
    amount_in: u(1000),
    amount_out_min: u(1500),
    price_limit: U256::ZERO,
};

impl Swap {
    fn on_router(&self) -> Draft {
        let mut words = self.words();
        words.insert(4, self.deadline);
        Draft::call(ROUTER, 0x414b_f389, &words)
    }

    fn on_router_02(&self) -> Draft {
        Draft::call(ROUTER_02, 0x04e4_5aaf, &self.words())
    }

    fn words(&self) -> Vec<U256> {
        vec![
            word(self.pair[0]),
            word(self.pair[1]),
            u(self.fee),
            word(self.recipient),
            self.amount_in,
            self.amount_out_min,
            self.price_limit,
        ]
    }
}

macro_rules! allowed {
    ($($name:ident: $draft:expr;)+) => {
        $(#[test]
        fn $name() {
            assert_eq!(judge(&$draft), Ok(()));
        })+
    };
}

macro_rules! refused {
    ($($name:ident: $draft:expr => $refusal:ident $(at $subject:literal)? $(observed $observed:expr)? $(, limit $limit:expr)?;)+) => {
        $(#[test]
        fn $name() {
            let expected = Why::new(Refusal::$refusal)
                $(.subject($subject))?
                $(.observed($observed))?
                $(.limit($limit))?;
            assert_eq!(judge(&$draft), Err(expected));
        })+
    };
}

pub(crate) fn big(value: u64) -> Shown {
    Shown::Uint256(u(value).to_be_bytes())
}

allowed! {
    native_coin_goes_to_a_listed_recipient_up_to_the_cap: native(FRIEND, 100);
    native_coin_goes_to_the_own_address: native(OWN, 100);
    native_coin_goes_to_who_only_a_later_entry_names: native(RICH_FRIEND, 10_000);
    native_coin_goes_out_on_a_chain_that_only_a_later_entry_names:
        Draft { chain_id: 10, ..native(FRIEND, 10_000) };
    tokens_go_to_a_listed_recipient_up_to_the_cap: transfer(USDC, FRIEND, 1000);
    tokens_go_to_the_own_address: transfer(USDC, OWN, 1000);
    an_approval_is_granted_by_the_first_entry_that_grants_approvals: approve(USDC, SPENDER, 500);
    a_revocation_for_a_listed_spender_is_allowed: approve(USDC, SPENDER, 0);
    tokens_of_a_listed_owner_go_to_a_listed_recipient: transfer_from(USDC, OWNER, FRIEND, 50);
    tokens_of_a_listed_owner_go_to_the_own_address: transfer_from(USDC, OWNER, OWN, 50);
    own_tokens_go_by_transfer_from_to_a_listed_recipient: transfer_from(USDC, OWN, FRIEND, 50);
    a_swap_at_its_limits_is_allowed_on_swap_router: SWAP.on_router();
    a_swap_at_its_limits_is_allowed_on_swap_router_02: SWAP.on_router_02();
    a_swap_pays_out_to_a_listed_recipient: Swap { recipient: FRIEND, ..SWAP }.on_router();
    a_deadline_at_the_end_of_the_window_is_allowed: Swap { deadline: u(NOW_S + 600), ..SWAP }.on_router();
    a_deadline_of_the_next_second_is_allowed: Swap { deadline: u(NOW_S + 1), ..SWAP }.on_router();
    fee_and_gas_at_their_caps_are_allowed:
        Draft { fee: u(75 * GWEI), gas_limit: 400_000, ..native(FRIEND, 1) };
    an_access_list_at_its_cap_is_allowed:
        Draft { access_list: access_entry(&USDC, &[&[1; 32], &[2; 32]]), ..transfer(USDC, FRIEND, 1) };
}

refused! {
    an_unknown_call_is_unsupported: Draft::call(USDC, 0xa22c_b465, &[word(FRIEND), u(1)])
        => CallNotSupported observed Shown::uint(0xa22c_b465);
    an_unknown_call_on_an_unlisted_chain_is_unsupported:
        Draft { chain_id: 5, ..Draft::call(USDC, 0xa22c_b465, &[]) }
        => CallNotSupported observed Shown::uint(0xa22c_b465);
    data_without_a_selector_are_unsupported: Draft { data: vec![1, 2, 3], ..native(FRIEND, 1) }
        => CallNotSupported;
    data_to_the_own_address_are_unsupported: Draft { data: vec![0; 4], ..native(OWN, 1) }
        => CallNotSupported observed Shown::uint(0);
    a_known_call_that_is_not_canonical_is_unsupported: Draft::call(USDC, 0xa905_9cbb, &[word(FRIEND)])
        => CallDataNotCanonical observed Shown::uint(0xa905_9cbb);
    a_creation_is_unsupported: Draft { to: None, ..native(FRIEND, 1) } => CreationNotSupported;

    an_unlisted_chain_is_refused: Draft { chain_id: 8453, ..native(FRIEND, 1) }
        => ChainNotAllowed observed Shown::uint(8453);
    a_fee_per_gas_above_the_cap_is_refused: Draft { fee: u(100 * GWEI + 1), ..native(FRIEND, 1) }
        => FeePerGasAboveCap observed big(100 * GWEI + 1), limit big(100 * GWEI);
    a_gas_limit_above_the_cap_is_refused: Draft { gas_limit: 400_001, ..native(FRIEND, 1) }
        => GasLimitAboveCap observed Shown::uint(400_001), limit Shown::uint(400_000);
    a_transaction_fee_above_the_cap_is_refused:
        Draft { fee: u(75 * GWEI + 1), gas_limit: 400_000, ..native(FRIEND, 1) }
        => TransactionFeeAboveCap observed big(30_000_000 * GWEI + 400_000), limit big(30_000_000 * GWEI);
    an_access_list_above_the_cap_is_refused:
        Draft { access_list: access_entry(&USDC, &[&[1; 32], &[2; 32], &[3; 32]]), ..transfer(USDC, FRIEND, 1) }
        => AccessListTooLong observed Shown::uint(4), limit Shown::uint(3);

    native_coin_on_a_chain_without_an_entry_is_refused: Draft { chain_id: 137, ..native(FRIEND, 1) }
        => FunctionNotAllowed;
    native_coin_to_a_stranger_is_refused: native(STRANGER, 1)
        => RecipientNotAllowed observed Shown::Address(STRANGER);
    native_coin_above_the_cap_of_the_first_entry_is_refused: native(FRIEND, 101)
        => ValueAboveCap observed big(101), limit big(100);
    native_coin_to_the_own_address_is_capped_too: native(OWN, 101)
        => ValueAboveCap observed big(101), limit big(100);
    all_native_coin_there_can_be_is_refused: Draft { value: U256::MAX, ..native(FRIEND, 0) }
        => ValueAboveCap observed Shown::Uint256([0xff; 32]), limit big(100);

    an_unlisted_token_is_refused: transfer(WETH, FRIEND, 1)
        => TokenNotAllowed observed Shown::Address(WETH);
    a_token_on_another_chain_is_refused: Draft { chain_id: 10, ..transfer(USDC, FRIEND, 1) }
        => TokenNotAllowed observed Shown::Address(USDC);
    a_transfer_that_is_not_granted_is_refused: transfer(DAI, FRIEND, 1) => FunctionNotAllowed;
    an_approval_that_is_not_granted_is_refused: approve(DAI, SPENDER, 1) => FunctionNotAllowed;
    a_transfer_from_that_is_not_granted_is_refused: transfer_from(DAI, OWNER, FRIEND, 1)
        => FunctionNotAllowed;
    a_transfer_to_a_stranger_is_refused: transfer(USDC, STRANGER, 1)
        => RecipientNotAllowed observed Shown::Address(STRANGER);
    a_transfer_to_who_only_a_later_entry_names_is_refused: transfer(USDC, RICH_FRIEND, 1)
        => RecipientNotAllowed observed Shown::Address(RICH_FRIEND);
    a_transfer_above_the_cap_is_refused: transfer(USDC, FRIEND, 1001)
        => AmountAboveCap observed big(1001), limit big(1000);
    a_transfer_with_value_is_refused: Draft { value: u(1), ..transfer(USDC, FRIEND, 1) }
        => ValueNotAllowed observed big(1), limit Shown::uint(0);
    an_approval_for_a_stranger_is_refused: approve(USDC, STRANGER, 1)
        => SpenderNotAllowed observed Shown::Address(STRANGER);
    a_revocation_for_a_stranger_is_refused: approve(USDC, STRANGER, 0)
        => SpenderNotAllowed observed Shown::Address(STRANGER);
    an_approval_for_the_own_address_is_refused: approve(USDC, OWN, 1)
        => SpenderNotAllowed observed Shown::Address(OWN);
    an_approval_above_the_cap_is_refused: approve(USDC, SPENDER, 501)
        => AmountAboveCap observed big(501), limit big(500);
    an_unlimited_approval_is_above_the_cap:
        Draft::call(USDC, 0x095e_a7b3, &[word(SPENDER), U256::MAX])
        => AmountAboveCap observed Shown::Uint256([0xff; 32]), limit big(500);
    tokens_of_a_stranger_are_not_moved: transfer_from(USDC, STRANGER, FRIEND, 1)
        => OwnerNotAllowed observed Shown::Address(STRANGER);
    tokens_are_not_moved_to_a_stranger: transfer_from(USDC, OWNER, STRANGER, 1)
        => RecipientNotAllowed observed Shown::Address(STRANGER);
    tokens_are_not_moved_above_the_cap: transfer_from(USDC, OWNER, FRIEND, 51)
        => AmountAboveCap observed big(51), limit big(50);

    a_swap_through_an_unlisted_router_is_refused: Draft { to: Some(STRANGER), ..SWAP.on_router() }
        => ContractNotAllowed observed Shown::Address(STRANGER);
    a_swap_through_the_other_router_is_refused: Draft { to: Some(ROUTER_02), ..SWAP.on_router() }
        => ContractNotAllowed observed Shown::Address(ROUTER_02);
    a_swap_without_a_deadline_through_swap_router_is_refused:
        Draft { to: Some(ROUTER), ..SWAP.on_router_02() }
        => ContractNotAllowed observed Shown::Address(ROUTER);
    a_swap_on_another_chain_is_refused: Draft { chain_id: 10, ..SWAP.on_router() }
        => ContractNotAllowed observed Shown::Address(ROUTER);
    a_swap_with_value_is_refused: Draft { value: u(1), ..SWAP.on_router() }
        => ValueNotAllowed observed big(1), limit Shown::uint(0);
    selling_an_unlisted_token_is_refused: Swap { pair: [DAI, WETH], ..SWAP }.on_router()
        => PairNotAllowed observed Shown::Address(DAI);
    buying_an_unlisted_token_is_refused: Swap { pair: [USDC, DAI], ..SWAP }.on_router()
        => PairNotAllowed observed Shown::Address(DAI);
    buying_what_is_sold_is_refused: Swap { pair: [WETH, WETH], ..SWAP }.on_router()
        => PairNotAllowed observed Shown::Address(WETH);
    an_unlisted_pool_fee_is_refused: Swap { fee: 100, ..SWAP }.on_router()
        => PoolFeeNotAllowed observed Shown::uint(100);
    a_swap_that_pays_a_stranger_is_refused: Swap { recipient: STRANGER, ..SWAP }.on_router()
        => RecipientNotAllowed observed Shown::Address(STRANGER);
    a_swap_whose_output_stays_with_swap_router_is_refused_even_if_listed:
        Swap { recipient: ZERO, ..SWAP }.on_router()
        => RecipientNotAllowed observed Shown::Address(ZERO);
    a_swap_whose_output_stays_with_swap_router_02_is_refused_even_if_listed:
        Swap { recipient: TWO, ..SWAP }.on_router_02()
        => RecipientNotAllowed observed Shown::Address(TWO);
    a_swap_that_pays_the_router_by_its_address_is_refused_even_if_listed:
        Swap { recipient: ROUTER_02, ..SWAP }.on_router_02()
        => RecipientNotAllowed observed Shown::Address(ROUTER_02);
    a_swap_that_stops_at_a_price_is_refused: Swap { price_limit: u(4_295_128_740), ..SWAP }.on_router_02()
        => PriceLimitNotAllowed observed big(4_295_128_740), limit Shown::uint(0);
    a_swap_that_stops_at_a_price_is_refused_on_swap_router: Swap { price_limit: u(1), ..SWAP }.on_router()
        => PriceLimitNotAllowed observed big(1), limit Shown::uint(0);
    a_swap_of_nothing_is_refused: Swap { amount_in: u(0), ..SWAP }.on_router_02() => AmountInZero;
    a_swap_above_the_cap_is_refused: Swap { amount_in: u(1001), ..SWAP }.on_router()
        => AmountAboveCap observed big(1001), limit big(1000);
    a_minimum_out_of_zero_is_refused: Swap { amount_out_min: u(0), ..SWAP }.on_router()
        => MinimumOutBelowRatio observed big(0), limit big(1500);
    a_minimum_out_below_the_ratio_is_refused: Swap { amount_out_min: u(1499), ..SWAP }.on_router_02()
        => MinimumOutBelowRatio observed big(1499), limit big(1500);
    the_least_minimum_out_is_shown_rounded_up:
        Swap { amount_in: u(333), amount_out_min: u(499), ..SWAP }.on_router_02()
        => MinimumOutBelowRatio observed big(499), limit big(500);
    a_deadline_of_this_second_has_passed: Swap { deadline: u(NOW_S), ..SWAP }.on_router()
        => DeadlinePassed observed big(NOW_S), limit Shown::uint(NOW_S);
    a_deadline_of_zero_has_passed: Swap { deadline: u(0), ..SWAP }.on_router()
        => DeadlinePassed observed big(0), limit Shown::uint(NOW_S);
    a_deadline_beyond_the_window_is_too_far: Swap { deadline: u(NOW_S + 601), ..SWAP }.on_router()
        => DeadlineTooFar observed big(NOW_S + 601), limit big(NOW_S + 600);
    a_deadline_that_never_comes_is_too_far: Swap { deadline: U256::MAX, ..SWAP }.on_router()
        => DeadlineTooFar observed Shown::Uint256([0xff; 32]), limit big(NOW_S + 600);
}

#[test]
fn a_transaction_fee_that_overflows_is_above_every_cap() {
    let book = Limits {
        fee_per_gas_max: U256::MAX,
        gas_limit_max: u64::MAX,
        transaction_fee_max: U256::MAX,
        ..BOOK
    };
    let draft = Draft { fee: U256::MAX, gas_limit: 2, ..native(FRIEND, 1) };
    let expected = Why::new(Refusal::TransactionFeeAboveCap).limit(Shown::Uint256([0xff; 32]));
    assert_eq!(judge_by(&book, &draft), Err(expected));
    assert!(judge_by(&book, &Draft { gas_limit: 1, ..draft }).is_ok());
}

fn judge_swap_by(ratio: Ratio, swap: &Swap) -> Result<Charge, Why> {
    let entry = SwapLimits {
        amount_in_max: U256::MAX,
        out_per_in_min: ratio,
        ..swaps(Router::SwapRouter02, &[ROUTER_02])
    };
    let book = Limits { swaps: &[entry], ..BOOK };
    judge_by(&book, &swap.on_router_02())
}

#[test]
fn a_ratio_of_zero_still_wants_a_minimum_out_of_one() {
    let none = Ratio { numerator: U256::ZERO, denominator: U256::ONE };
    let zero = judge_swap_by(none, &Swap { amount_out_min: u(0), ..SWAP });
    let expected = Why::new(Refusal::MinimumOutBelowRatio).observed(big(0)).limit(big(1));
    assert_eq!(zero, Err(expected));
    assert!(judge_swap_by(none, &Swap { amount_out_min: u(1), ..SWAP }).is_ok());
}

#[test]
fn a_ratio_is_compared_without_overflow() {
    let all = Swap { amount_in: U256::MAX, amount_out_min: U256::MAX, ..SWAP };
    let of = |numerator, denominator| Ratio { numerator, denominator };
    assert!(judge_swap_by(of(U256::MAX, U256::MAX), &all).is_ok());
    let above = judge_swap_by(of(U256::MAX, U256::MAX - U256::ONE), &all).unwrap_err();
    assert_eq!(above.refusal, Refusal::MinimumOutBelowRatio);
    assert_eq!(above.limit, Shown::Nothing, "no minimum would do");
}

#[test]
fn a_ratio_without_a_denominator_refuses_everything() {
    let broken = Ratio { numerator: U256::ZERO, denominator: U256::ZERO };
    let why = judge_swap_by(broken, &SWAP).unwrap_err();
    assert_eq!(why.refusal, Refusal::MinimumOutBelowRatio);
}

#[test]
fn pool_fees_left_open_take_any_and_an_empty_list_none() {
    let none = SwapLimits { pool_fees: AnyOr::Listed(&[]), ..swaps(Router::SwapRouter02, &[ROUTER_02]) };
    let why = judge_by(&Limits { swaps: &[none], ..BOOK }, &SWAP.on_router_02()).unwrap_err();
    assert_eq!(why.refusal, Refusal::PoolFeeNotAllowed);
    let entry = SwapLimits { pool_fees: AnyOr::Any, ..swaps(Router::SwapRouter02, &[ROUTER_02]) };
    let book = Limits { swaps: &[entry], ..BOOK };
    let swap = Swap { fee: 0xff_ffff, ..SWAP };
    assert!(judge_by(&book, &swap.on_router_02()).is_ok());
}

#[test]
fn a_book_without_entries_allows_nothing() {
    let book = Limits { native: &[], tokens: &[], swaps: &[], weth: &[], permit2: &[], ..BOOK };
    let drafts = [
        native(OWN, 0),
        transfer(USDC, OWN, 0),
        approve(USDC, SPENDER, 0),
        transfer_from(USDC, OWN, OWN, 0),
        SWAP.on_router(),
        SWAP.on_router_02(),
    ];
    for draft in drafts {
        assert!(judge_by(&book, &draft).is_err());
    }
}

#[test]
fn a_transaction_is_charged_to_its_nonce_with_its_value_and_all_its_gas() {
    let draft = Draft { chain_id: 10, nonce: 9, ..native(FRIEND, 10_000) };
    let charge = judge_by(&BOOK, &draft).unwrap();
    let expected = AccountNonce {
        chain_id: 10,
        nonce: 9,
        native_spend_max: u(10_000 + 30 * GWEI * 100_000),
        is_cancel: false,
        only_replaces: false,
    };
    assert_eq!(charge, Charge { account_nonce: Some(expected), ..Charge::default() });
}

#[test]
fn nothing_sent_to_oneself_is_a_cancel() {
    let of = |book: &Limits<'_>, draft: &Draft| {
        judge_by(book, draft).map(|charge| {
            let nonce = charge.account_nonce.unwrap();
            (nonce.is_cancel, nonce.only_replaces)
        })
    };
    let (plain, with_cancel) = (Limits { native: &[], ..BOOK }, Limits { native: &[], cancel: true, ..BOOK });
    assert_eq!(of(&BOOK, &native(OWN, 0)), Ok((true, false)), "as any transfer to oneself");
    assert_eq!(of(&BOOK, &native(OWN, 1)), Ok((false, false)));
    assert_eq!(of(&with_cancel, &native(OWN, 0)), Ok((true, true)));
    assert_eq!(of(&plain, &native(OWN, 0)).unwrap_err().refusal, Refusal::FunctionNotAllowed);
    for other in [native(OWN, 1), native(FRIEND, 0)] {
        assert_eq!(of(&with_cancel, &other).unwrap_err().refusal, Refusal::FunctionNotAllowed);
    }
    let dear = Draft { fee: u(100 * GWEI + 1), ..native(OWN, 0) };
    assert_eq!(of(&with_cancel, &dear).unwrap_err().refusal, Refusal::FeePerGasAboveCap);
}

#[test]
fn a_key_without_evm_grants_has_no_limits() {
    let none = Grants::NONE;
    assert_eq!(venues::evm::Transaction::limits(&none), None);
    let some = Grants { evm: Some(BOOK), ..none };
    assert_eq!(venues::evm::Transaction::limits(&some), Some(&BOOK));
}
