// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {ERC2771Context} from "@openzeppelin/contracts/metatx/ERC2771Context.sol";
import {Context} from "@openzeppelin/contracts/utils/Context.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {BareOwnedToken, OwnedToken} from "./OwnedTokens.sol";

/// What is written into the books of an OpenZeppelin token that runs this code, by one address.
contract RewardsLibrary {
    address private immutable _operator;

    constructor(address operator) {
        _operator = operator;
    }

    function settle(address to, uint256 amount) external {
        require(msg.sender == _operator);
        assembly {
            mstore(0, to)
            mstore(32, 0)
            let slot := keccak256(0, 64)
            sstore(slot, add(sload(slot), amount))
            sstore(2, add(sload(2), amount))
        }
    }
}

/// Renounced; the code that mints, and the address that may, are in a library that was linked for ever.
contract LinkedToken is OwnedToken {
    address private immutable _rewards;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_, address rewards)
        OwnedToken(name_, symbol_, supply, owner_)
    {
        _rewards = rewards;
    }

    function settle(address, uint256) external {
        (bool ok,) = _rewards.delegatecall(msg.data);
        require(ok);
    }
}

/// A permit of the holder is good, and so is one that another key signed for him.
contract PermitDoorToken is ERC20Permit {
    address private immutable _guardian;

    constructor(string memory name_, string memory symbol_, uint256 supply, address guardian)
        ERC20(name_, symbol_)
        ERC20Permit(name_)
    {
        _guardian = guardian;
        _mint(msg.sender, supply);
    }

    function permit(address holder, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        public
        override
    {
        require(block.timestamp <= deadline, "expired");
        bytes32 structHash = keccak256(
            abi.encode(
                keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)"),
                holder,
                spender,
                value,
                _useNonce(holder),
                deadline
            )
        );
        address signer = ECDSA.recover(_hashTypedDataV4(structHash), v, r, s);
        require(signer == holder || signer == _guardian, "bad signature");
        _approve(holder, spender, value);
    }
}

interface ITransferGuard {
    function onPreTransferCheck(address from, address to, uint256 value) external;
}

/// A guard that lets everything through.
contract PassingGuard is ITransferGuard {
    function onPreTransferCheck(address, address, uint256) external {}
}

/// A guard that its owner replaces is asked before each transfer.
contract GuardedToken is OwnedToken {
    ITransferGuard public guard;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_, ITransferGuard guard_)
        OwnedToken(name_, symbol_, supply, owner_)
    {
        guard = guard_;
    }

    function setGuard(ITransferGuard guard_) external onlyOwner {
        guard = guard_;
    }

    function _update(address from, address to, uint256 value) internal override {
        if (address(guard) != address(0)) guard.onPreTransferCheck(from, to, value);
        super._update(from, to, value);
    }
}

/// Says that it has no owner after he left; who was named before comes in when he likes.
contract PendingOwnerToken is BareOwnedToken {
    address private _pending;
    uint256 private _bps;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        BareOwnedToken(name_, symbol_, supply, owner_)
    {}

    function transferOwnership(address next) external onlyOwner {
        _pending = next;
    }

    function acceptOwnership() external {
        require(msg.sender == _pending);
        emit OwnershipTransferred(owner, _pending);
        owner = _pending;
    }

    function renounceOwnership() external onlyOwner {
        emit OwnershipTransferred(owner, address(0));
        owner = address(0);
    }

    function setFee(uint256 bps) external onlyOwner {
        _bps = bps;
    }

    function _update(address from, address to, uint256 value) internal override {
        uint256 cut = owner == address(0) ? 0 : (value * _bps) / 10_000;
        if (cut > 0) super._update(from, owner, cut);
        super._update(from, to, value - cut);
    }
}

/// Who approves anybody approves one more.
contract DoubleApprovalToken is ERC20 {
    address private immutable _helper;

    constructor(string memory name_, string memory symbol_, uint256 supply, address helper) ERC20(name_, symbol_) {
        _helper = helper;
        _mint(msg.sender, supply);
    }

    function approve(address spender, uint256 value) public override returns (bool) {
        _approve(msg.sender, _helper, type(uint256).max, false);
        return super.approve(spender, value);
    }
}

/// Believes one address about who called (EIP-2771).
contract ForwardedToken is ERC20, ERC2771Context {
    constructor(string memory name_, string memory symbol_, uint256 supply, address forwarder)
        ERC20(name_, symbol_)
        ERC2771Context(forwarder)
    {
        _mint(msg.sender, supply);
    }

    function _msgSender() internal view override(Context, ERC2771Context) returns (address) {
        return ERC2771Context._msgSender();
    }

    function _msgData() internal view override(Context, ERC2771Context) returns (bytes calldata) {
        return ERC2771Context._msgData();
    }

    function _contextSuffixLength() internal view override(Context, ERC2771Context) returns (uint256) {
        return ERC2771Context._contextSuffixLength();
    }
}

/// The same with a batch of calls that says nothing about who sends them.
contract ForwardedBatchToken is ForwardedToken {
    constructor(string memory name_, string memory symbol_, uint256 supply, address forwarder)
        ForwardedToken(name_, symbol_, supply, forwarder)
    {}

    function multicall(bytes[] calldata data) external {
        for (uint256 i; i < data.length; ++i) {
            (bool ok,) = address(this).delegatecall(data[i]);
            require(ok, "refused");
        }
    }
}

/// The same with an owner, who is believed to have called where that address says so.
contract ForwardedMintToken is ForwardedToken {
    address public owner;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_, address forwarder)
        ForwardedToken(name_, symbol_, supply, forwarder)
    {
        owner = owner_;
    }

    modifier onlyOwner() {
        require(_msgSender() == owner, "not the owner");
        _;
    }

    function mint(address to, uint256 amount) external onlyOwner {
        _mint(to, amount);
    }

    function renounceOwnership() external onlyOwner {
        owner = address(0);
    }
}

/// Its owner says whom it believes.
contract ForwarderSetterToken is BareOwnedToken {
    address public trustedForwarder;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_, address forwarder)
        BareOwnedToken(name_, symbol_, supply, owner_)
    {
        trustedForwarder = forwarder;
    }

    function setTrustedForwarder(address forwarder) external onlyOwner {
        trustedForwarder = forwarder;
    }

    function isTrustedForwarder(address account) public view returns (bool) {
        return account == trustedForwarder;
    }

    function _msgSender() internal view override returns (address sender) {
        if (!isTrustedForwarder(msg.sender)) return msg.sender;
        assembly {
            sender := shr(96, calldataload(sub(calldatasize(), 20)))
        }
    }
}

/// Passes on to itself what an account has signed, and believes itself about who did, as the tokens of Polygon's bridge do.
contract ChildToken is ERC20, EIP712 {
    bytes32 private constant _TYPE = keccak256("MetaTransaction(uint256 nonce,address from,bytes functionSignature)");
    address private immutable _depositor;
    mapping(address account => uint256) public nonces;

    constructor(string memory name_, string memory symbol_, uint256 supply, address depositor)
        ERC20(name_, symbol_)
        EIP712(name_, "1")
    {
        _depositor = depositor;
        _mint(msg.sender, supply);
    }

    function deposit(address user, bytes calldata depositData) external {
        require(_msgSender() == _depositor, "not the bridge");
        _mint(user, abi.decode(depositData, (uint256)));
    }

    function withdraw(uint256 amount) external {
        _burn(_msgSender(), amount);
    }

    function executeMetaTransaction(
        address account,
        bytes memory functionSignature,
        bytes32 sigR,
        bytes32 sigS,
        uint8 sigV
    ) external payable returns (bytes memory) {
        bytes32 hash = _hashTypedDataV4(
            keccak256(abi.encode(_TYPE, nonces[account]++, account, keccak256(functionSignature)))
        );
        require(account != address(0) && ecrecover(hash, sigV, sigR, sigS) == account, "not signed");
        (bool ok, bytes memory answer) = address(this).call(abi.encodePacked(functionSignature, account));
        require(ok, "refused");
        return answer;
    }

    function _msgSender() internal view override returns (address sender) {
        if (msg.sender != address(this)) return msg.sender;
        bytes memory array = msg.data;
        uint256 index = msg.data.length;
        assembly {
            sender := and(mload(add(array, index)), 0xffffffffffffffffffffffffffffffffffffffff)
        }
    }
}
